#include "caucus/algorithms/lane_tile.hpp"

#include <algorithm>
#include <bit>
#include <type_traits>

namespace caucus {

LaneTile::LaneTile(const Plan& plan)
    : plan_(&plan),
      features_(plan.maps),
      features_are_x_(!plan.maps.space(0).intercept),
      outputs_(kExamples * kLanes),
      factors_(kExamples * kLanes),
      losses_(kExamples * kLanes) {}

void LaneTile::compute_losses() {
  const float* outputs = outputs_.data();
  for (std::size_t e = 0; e < count_; ++e, outputs += kLanes) {
    forecasts_[e] = finite_forecast(static_cast<double>(outputs[first_[e]]));
  }
  plan_->loss.with_kind([&](const auto& loss) { compute_losses(loss); });
}

template <class AnyLoss>
void LaneTile::compute_losses(const AnyLoss& loss) {
  if constexpr (std::is_same_v<AnyLoss, SquareLoss>) {
    constexpr float kTame = 1e17F;  // no forecast, loss or target so small needs a cap
    if (targets_are_floats_ &&
        simd::kernels().square_losses(
            {outputs_.data(), y_floats_.data(), held_.data(), count_, plan_->maps.size()}, kTame,
            factors_.data(), losses_.data())) {
      return;
    }
  }
  for (std::size_t e = 0; e < count_; ++e) {
    const float* const outputs = outputs_.data() + e * kLanes;
    float* const factors = factors_.data() + e * kLanes;
    float* const losses = losses_.data() + e * kLanes;
    std::fill_n(factors, kLanes, 0.0F);
    std::fill_n(losses, kLanes, 0.0F);
    for (ModelBits left = held_[e]; left != 0; left &= left - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(left));
      const double output = finite_forecast(static_cast<double>(outputs[i]));
      losses[i] = reported_loss(loss.value(output, y_[e]));
      factors[i] = static_cast<float>(loss.derivative(output, y_[e]));
    }
  }
}

LaneReports LaneTile::reports() const {
  ModelBits held = 0;
  for (std::size_t e = 0; e < count_; ++e) held |= held_[e];
  return {{x_.data(), factors_.data(), losses_.data(), count_}, held, false};
}

void LaneTile::move_report(std::size_t from, std::size_t to) {
  if (from == to) return;
  x_[to] = x_[from];
  held_[to] = held_[from];
  std::copy_n(factors_.data() + from * kLanes, kLanes, factors_.data() + to * kLanes);
  std::copy_n(losses_.data() + from * kLanes, kLanes, losses_.data() + to * kLanes);
}

}  // namespace caucus
