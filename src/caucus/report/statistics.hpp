// Statistics over repetitions. Those that diverged are NaN and do not count.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace caucus::report {

inline std::vector<double> counting(std::vector<double> values) {
  std::erase_if(values, [](double value) { return std::isnan(value); });
  return values;
}

/// These return NaN if nothing counts.
inline double mean(const std::vector<double>& values) {
  const auto kept = counting(values);
  if (kept.empty()) return std::nan("");
  return std::accumulate(kept.begin(), kept.end(), 0.0) / static_cast<double>(kept.size());
}
inline double least(const std::vector<double>& values) {
  const auto kept = counting(values);
  return kept.empty() ? std::nan("") : *std::min_element(kept.begin(), kept.end());
}
inline double largest(const std::vector<double>& values) {
  const auto kept = counting(values);
  return kept.empty() ? std::nan("") : *std::max_element(kept.begin(), kept.end());
}

/// Divides by n - 1. Returns 0 for a single value and NaN if nothing counts.
inline double standard_deviation(const std::vector<double>& values) {
  const auto kept = counting(values);
  if (kept.size() < 2) return kept.empty() ? std::nan("") : 0.0;
  const double centre = mean(kept);
  double sum = 0.0;
  for (const double value : kept) sum += (value - centre) * (value - centre);
  return std::sqrt(sum / static_cast<double>(kept.size() - 1));
}

}  // namespace caucus::report
