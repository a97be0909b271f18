// A progress line on a terminal, and nothing elsewhere.
#pragma once

#include <thread>

#include "caucus/simulation/experiment.hpp"

namespace caucus::cli {

/// Draws the line until the thread is destroyed; `at_end` says what is done when all is counted.
std::jthread show_progress(const Progress& progress, const char* at_end = "best in hindsight");

}  // namespace caucus::cli
