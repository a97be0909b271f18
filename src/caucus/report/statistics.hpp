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

/// Returns whether there are values and none is NaN.
inline bool knows_all(const std::vector<double>& values) {
  return !values.empty() && counting(values).size() == values.size();
}

/// Returns the positions of the `most` largest values, in their order. NaN counts as least.
inline std::vector<std::size_t> largest_of(const std::vector<double>& values, std::size_t most) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto known = [&](std::size_t i) { return std::isnan(values[i]) ? -HUGE_VAL : values[i]; };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return known(a) > known(b); });
  order.resize(std::min(order.size(), most));
  std::sort(order.begin(), order.end());
  return order;
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
