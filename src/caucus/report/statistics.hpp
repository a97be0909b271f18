// The mean and the spread over repetitions. Repetitions that diverged are NaN and do not count.
#pragma once

#include <vector>

namespace caucus::report {

/// Returns NaN if nothing counts.
double mean(const std::vector<double>& values);
/// Divides by n - 1. Returns 0 for a single value and NaN if nothing counts.
double standard_deviation(const std::vector<double>& values);

}  // namespace caucus::report
