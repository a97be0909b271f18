// Shows the progress of a run in one line if standard error is a terminal.
#pragma once

#include <thread>

#include "caucus/simulation/experiment.hpp"

namespace caucus::cli {

/// Draws the line until the thread is destroyed. `at_end` names the work that follows the last
/// example.
std::jthread show_progress(const Progress& progress, const char* at_end = "best in hindsight");

}  // namespace caucus::cli
