// A line on a terminal that shows how far a long command is.
#pragma once

#include <string>
#include <thread>
#include <vector>

#include "caucus/simulation/experiment.hpp"

namespace caucus::cli {

/// Shows the progress on standard error, if that is a terminal, until the returned thread is
/// joined. `at_end` says what is being done when all examples have been processed.
std::jthread show_progress(const Progress& progress, const char* at_end = "best in hindsight");

/// Shows how much of the files has been read, in the same way.
std::jthread show_reading(const std::vector<std::string>& files);

}  // namespace caucus::cli
