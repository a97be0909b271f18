#include "caucus/algorithms/baselines/bounded.hpp"

#include <algorithm>
#include <cmath>

#include "caucus/core/base/vector.hpp"
#include "caucus/core/mirror/region.hpp"

namespace caucus {

float bounded_float(double value) {
  if (std::isnan(value)) return 0.0F;
  return static_cast<float>(std::clamp(value, -kLargestWeight, kLargestWeight));
}

double bounded_loss(double value) {
  constexpr double kLargest = 1e36;
  return std::isnan(value) ? kLargest : std::clamp(value, -kLargest, kLargest);
}

double penalty_of(std::span<const float> weights, double regularization) {
  return regularization > 0.0 ? regularization * squared_norm(weights) : 0.0;
}

void bounded_step(std::span<float> w, double decay, double rate, std::span<const float> direction) {
  if (decay != 1.0) scale(w, bounded_float(decay));
  add_scaled(w, -bounded_float(rate), direction);
  constexpr auto kLargest = static_cast<float>(kLargestWeight);
  for (float& v : w) v = std::isnan(v) ? 0.0F : std::clamp(v, -kLargest, kLargest);
}

void step_within(const Space& space, std::span<float> w, double rate,
                 std::span<const float> direction) {
  if (w.empty()) return;  // a frozen expert
  if (std::isinf(space.radius)) {
    bounded_step(w, 1.0, rate, direction);
  } else {
    region_of(space).descend(w, direction, static_cast<double>(bounded_float(rate)));
  }
}

void project_into(const Space& space, std::span<float> w) {
  if (space.constraint == Constraint::box) {
    const double side = space.radius / std::sqrt(static_cast<double>(w.size()));
    for (float& v : w) v = static_cast<float>(std::clamp(static_cast<double>(v), -side, side));
    return;
  }
  double square = 0.0;
  for (const float v : w) square += static_cast<double>(v) * static_cast<double>(v);
  const double shrink = space.radius / std::sqrt(square);
  if (!(shrink < 1.0)) return;
  for (float& v : w) v = static_cast<float>(shrink * static_cast<double>(v));
}

}  // namespace caucus
