#include "caucus/algorithms/lane_tile.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "caucus/core/vector.hpp"

namespace caucus {

LaneTile::LaneTile(const Plan& plan)
    : plan_(&plan),
      features_(plan.maps),
      features_are_x_(!plan.maps.space(0).intercept),
      outputs_(kExamples * kLanes),
      factors_(kExamples * kLanes),
      losses_(kExamples * kLanes) {}

void LaneTile::compute(const ModelLanes& models) {
  features_.compute();
  models.outputs({x_.data(), count_}, outputs_);
  const auto all = static_cast<ModelBits>((std::uint64_t{1} << models.size()) - 1);
  plan_->loss.with_kind([&](const auto& loss) { compute_losses(loss, all); });
}

namespace {

/// In a function of its own, with pointers that it knows to be different: so the compiler uses
/// vectors.
template <class AnyLoss>
void evaluate_lanes(const AnyLoss& loss, double y, const float* __restrict__ outputs,
                    float* __restrict__ losses, float* __restrict__ factors) {
  const AnyLoss own = loss;
#pragma GCC unroll 1
  for (std::size_t i = 0; i < ModelLanes::kLanes; ++i) {
    const auto output = static_cast<double>(outputs[i]);
    losses[i] = static_cast<float>(own.value(output, y));
    factors[i] = static_cast<float>(own.derivative(output, y));
  }
}

}  // namespace

template <class AnyLoss>
void LaneTile::compute_losses(const AnyLoss& loss, ModelBits all) {
  const auto outputs_of_all = std::span<const float>(outputs_).first(count_ * kLanes);
  const bool tame = held_.front().models == all &&
                    static_cast<double>(magnitude(outputs_of_all)) <= kLargestForecast;
  for (std::size_t e = 0; e < count_; ++e) {
    PlayedExample& played = played_[e];
    const float* const outputs = outputs_.data() + e * kLanes;
    float* const factors = factors_.data() + e * kLanes;
    float* const losses = losses_.data() + e * kLanes;
    const double y = played.y;
    played.output = finite_forecast(static_cast<double>(outputs[held_[e].first]));
    if (tame && held_[e].models == all && std::abs(y) <= kLargestForecast) {
      // Nothing needs a cap, so there are no branches. What lies beyond the last model is not used.
      evaluate_lanes(loss, y, outputs, losses, factors);
      continue;
    }
    std::fill_n(factors, kLanes, 0.0F);
    std::fill_n(losses, kLanes, 0.0F);
    for (ModelBits left = held_[e].models; left != 0; left &= left - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(left));
      const double output = finite_forecast(static_cast<double>(outputs[i]));
      losses[i] = reported_loss(loss.value(output, y));
      factors[i] = static_cast<float>(loss.derivative(output, y));
    }
  }
}

LaneReports LaneTile::reports() const {
  ModelBits held = 0;
  for (std::size_t e = 0; e < count_; ++e) held |= held_[e].models;
  return {{x_.data(), count_},
          {factors_.data(), count_ * kLanes},
          {losses_.data(), count_ * kLanes},
          held};
}

void LaneTile::move_report(std::size_t from, std::size_t to) {
  if (from == to) return;
  x_[to] = x_[from];
  held_[to] = held_[from];
  std::copy_n(factors_.data() + from * kLanes, kLanes, factors_.data() + to * kLanes);
  std::copy_n(losses_.data() + from * kLanes, kLanes, losses_.data() + to * kLanes);
}

}  // namespace caucus
