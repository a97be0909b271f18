// Mean and spread over repetitions. Repetitions that diverged are NaN and are ignored.
#pragma once

#include <vector>

namespace caucus::report {

/// Returns NaN if there is no value.
double mean(const std::vector<double>& values);
/// Uses n - 1. Returns 0 for a single value, NaN if there is none.
double standard_deviation(const std::vector<double>& values);

}  // namespace caucus::report
