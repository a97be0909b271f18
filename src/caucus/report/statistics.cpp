#include "caucus/report/statistics.hpp"

#include <cmath>
#include <limits>
#include <numeric>

namespace caucus::report {
namespace {

std::vector<double> counting(const std::vector<double>& values) {
  std::vector<double> kept;
  for (const double value : values) {
    if (!std::isnan(value)) kept.push_back(value);
  }
  return kept;
}

}  // namespace

double mean(const std::vector<double>& values) {
  const auto kept = counting(values);
  if (kept.empty()) return std::numeric_limits<double>::quiet_NaN();
  return std::accumulate(kept.begin(), kept.end(), 0.0) / static_cast<double>(kept.size());
}

double standard_deviation(const std::vector<double>& values) {
  const auto kept = counting(values);
  if (kept.empty()) return std::numeric_limits<double>::quiet_NaN();
  if (kept.size() < 2) return 0.0;
  const double centre = mean(kept);
  double sum = 0.0;
  for (const double value : kept) sum += (value - centre) * (value - centre);
  return std::sqrt(sum / static_cast<double>(kept.size() - 1));
}

}  // namespace caucus::report
