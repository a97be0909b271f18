#include "caucus/algorithms/lane_tile.hpp"

#include <algorithm>
#include <bit>

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

template <class AnyLoss>
void LaneTile::compute_losses(const AnyLoss& loss, ModelBits all) {
  for (std::size_t e = 0; e < count_; ++e) {
    PlayedExample& played = played_[e];
    const float* const outputs = outputs_.data() + e * kLanes;
    float* const factors = factors_.data() + e * kLanes;
    float* const losses = losses_.data() + e * kLanes;
    const double y = played.y;
    const auto evaluate = [&](std::size_t i) {
      const double output = finite_forecast(static_cast<double>(outputs[i]));
      losses[i] = reported_loss(loss.value(output, y));
      factors[i] = static_cast<float>(loss.derivative(output, y));
    };
    played.output = finite_forecast(static_cast<double>(outputs[held_[e].first]));
    if (held_[e].models == all) {  // whole vectors: what lies beyond the last model is not used
#pragma GCC ivdep
      for (std::size_t i = 0; i < kLanes; ++i) evaluate(i);
      continue;
    }
    std::fill_n(factors, kLanes, 0.0F);
    std::fill_n(losses, kLanes, 0.0F);
    for (ModelBits left = held_[e].models; left != 0; left &= left - 1) {
      evaluate(static_cast<std::size_t>(std::countr_zero(left)));
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
