#include "caucus/algorithms/baselines/baseline_client.hpp"

#include <algorithm>
#include <cmath>

#include "caucus/core/base/vector.hpp"

namespace caucus {

bool ClientClock::begins(const TimedAssignment& assignment) {
  if (batch_ == assignment.batch.number) return false;
  client_ = assignment.client;
  batch_ = assignment.batch.number;
  round_ = assignment.batch.first + 1;
  return true;
}

float bounded_float(double value) {
  if (std::isnan(value)) return 0.0F;
  return static_cast<float>(std::clamp(value, -kLargestWeight, kLargestWeight));
}

void keep_bounded(std::span<float> weights) {
  constexpr auto kLargest = static_cast<float>(kLargestWeight);
  for (float& w : weights) w = std::isnan(w) ? 0.0F : std::clamp(w, -kLargest, kLargest);
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
  keep_bounded(w);
}

}  // namespace caucus
