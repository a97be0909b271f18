#include "caucus/core/solvers/first_order.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "caucus/core/base/text.hpp"

namespace caucus {

double FirstOrderModel::next_rate(const RoundSums& sums) {
  constexpr double kReach = 1.4;
  const double weight = 1.0 / (static_cast<double>(sums.reporters) * sums.inclusion);
  const double squared = weight * weight * sums.squared_sum;
  if (!(squared > 0.0) || !std::isfinite(squared)) return 0.0;
  // A loss that is not positive (the linear loss) gives no curvature.
  double curvature = 0.0;
  if (sums.losses > 0.0 && sums.squared_gradients > 0.0 && std::isfinite(sums.squared_gradients)) {
    double size = sums.squared_gradients / (4.0 * sums.losses);
    if (is_guarded_) {
      largest_ = std::max(largest_, sums.largest_size);
      size = std::max(size, largest_ / static_cast<double>(sums.examples));
    }
    largest_ = std::max(largest_, size);
    const double hidden =
        std::sqrt(std::clamp(largest_ / size, 1.0, static_cast<double>(sums.examples)));
    curvature = sums.holders * weight * 2.0 * hidden * size;
  }
  rounds_ += 1.0;
  curvature_sum_ += curvature;
  gradient_sum_ += squared;
  const double steepest = std::max(curvature, curvature_sum_ / rounds_);
  if (is_guarded_ && steepest > 0.0) {
    reach_ = std::max(reach_, std::sqrt(gradient_sum_ / rounds_) / steepest);
  }
  if (rounds_ < first_) return 0.0;
  double lambda = steepest > 0.0 ? 1.0 / steepest : 1.0 / std::sqrt(squared);
  if (reach_ > 0.0) lambda = std::min(lambda, kReach * reach_ / std::sqrt(gradient_sum_));
  if (reach_ == 0.0) reach_ = lambda * std::sqrt(squared);
  return lambda * weight;
}

void FirstOrderModel::move(double rate, std::span<const float> gradient, const Region& region,
                           std::span<float> w) {
  if (rate == 0.0) return;
  reach_ = std::max(reach_, std::sqrt(region.descend(w, gradient, rate)));
}

void FirstOrderModel::save(StateWriter& to) const {
  for (const double value : {largest_, curvature_sum_, rounds_, gradient_sum_, reach_}) {
    to.real(value);
  }
}

Status FirstOrderModel::restore(StateReader& from) {
  for (double* value : {&largest_, &curvature_sum_, &rounds_, &gradient_sum_, &reach_}) {
    *value = from.real();
    if (!is_amount(*value)) {
      return from.refuse("a model's sum " + to_text(*value), "expected a finite number >= 0");
    }
  }
  return from.status();
}

}  // namespace caucus
