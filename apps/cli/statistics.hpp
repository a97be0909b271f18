// Mean and spread over repetitions.
#pragma once

#include <vector>

namespace caucus::cli {

double mean(const std::vector<double>& values);
/// With n - 1; 0 for a single value.
double standard_deviation(const std::vector<double>& values);

}  // namespace caucus::cli
