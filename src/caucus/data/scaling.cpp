#include "caucus/columns.hpp"

#include <cmath>

namespace caucus {
namespace {

// Returns (raw - minimum) / (maximum - minimum), also if a difference exceeds the largest double.
double fraction(double minimum, double maximum, double raw) {
  const double width = maximum - minimum;
  const double part = raw - minimum;
  if (std::isfinite(width) && std::isfinite(part)) return part / width;
  return (raw / 2 - minimum / 2) / (maximum / 2 - minimum / 2);
}

Interval interval(const std::optional<Interval>& range, double minimum, double maximum) {
  if (!range) return {minimum, maximum};
  return minimum == maximum ? Interval{0.0, 0.0} : *range;
}

}  // namespace

double scale_to(Interval to, double minimum, double maximum, double raw) {
  if (minimum == maximum) return 0.0;
  return to.first + (to.second - to.first) * fraction(minimum, maximum, raw);
}

double Scaling::feature(std::size_t k, double raw) const {
  const std::size_t column = feature_columns[k];
  return feature_range ? scale_to(*feature_range, minimum[column], maximum[column], raw) : raw;
}

double Scaling::target(double raw) const {
  if (!label_range) return raw;
  return scale_to(*label_range, minimum[target_column], maximum[target_column], raw);
}

double Scaling::target_original(double scaled) const {
  if (!label_range) return scaled;
  const auto [a, b] = *label_range;
  const double low = minimum[target_column];
  const double high = maximum[target_column];
  if (low == high) return low;
  const double part = (scaled - a) / (b - a);
  return low * (1.0 - part) + high * part;
}

Interval Scaling::feature_interval(std::size_t k) const {
  const std::size_t column = feature_columns[k];
  return interval(feature_range, minimum[column], maximum[column]);
}

Interval Scaling::target_interval() const {
  return interval(label_range, minimum[target_column], maximum[target_column]);
}

Interval Scaling::expert_interval(std::size_t k) const {
  const std::size_t column = expert_columns[k];
  return {target(minimum[column]), target(maximum[column])};
}

}  // namespace caucus
