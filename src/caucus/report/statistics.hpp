// Mean and spread over repetitions; those that diverged are NaN and do not count.
#pragma once

#include <vector>

namespace caucus::report {

/// NaN if nothing counts.
double mean(const std::vector<double>& values);
/// With n - 1; 0 for a single value, NaN if nothing counts.
double standard_deviation(const std::vector<double>& values);

}  // namespace caucus::report
