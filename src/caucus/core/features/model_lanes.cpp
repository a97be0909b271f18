#include "caucus/core/features/model_lanes.hpp"

#include <algorithm>
#include <limits>

namespace caucus {

bool ModelLanes::can_hold(const FeatureMaps& maps) {
  const auto is_ball = [](const Space& space) {
    return space.kind == SpaceKind::linear && space.constraint == Constraint::ball;
  };
  return maps.map_count() == 1 && maps.size() <= kLanes && maps.dimension(0) <= simd::kShort &&
         std::all_of(maps.spaces().begin(), maps.spaces().end(), is_ball);
}

ModelLanes::ModelLanes(const FeatureMaps& maps)
    : models_(maps.size()),
      dimension_(maps.dimension(0)),
      radii_(kLanes, std::numeric_limits<double>::infinity()),
      weights_(dimension_ * kLanes, 0.0F) {
  for (std::size_t i = 0; i < models_; ++i) radii_[i] = maps.space(i).radius;
}

bool ModelLanes::step(const LaneSums& sums, const simd::LaneEstimates& estimates,
                      const simd::EntropyStep* probabilities) {
  simd::LaneStep step{};
  step.w = weights_.data();
  step.inputs = dimension_;
  step.radii = radii_.data();
  step.touched = sums.touched_;
  step.gradients = sums.gradients_.data();
  step.losses = sums.losses_.data();
  step.fresh = sums.fresh_;
  step.rows = &sums.waiting_;
  step.estimates = &estimates;
  step.entropy = probabilities;
  simd::LaneOutcome outcome{};
  simd::kernels().step_lanes(step, outcome);
  for (std::size_t i = 0; !outcome.finite && i < models_; ++i) {
    if (outcome.scales[i] == 0.0F) clear(i);  // what is not finite does not become 0 by a factor
  }
  return outcome.short_enough;
}

void ModelLanes::clear(std::size_t model) {
  for (std::size_t k = 0; k < dimension_; ++k) weights_[k * kLanes + model] = 0.0F;
}

void ModelLanes::copy_to(ModelWeights& rows) const {
  for (std::size_t i = 0; i < models_; ++i) {
    const std::span<float> row = rows[i];
    for (std::size_t k = 0; k < dimension_; ++k) row[k] = weights_[k * kLanes + i];
  }
}

void ModelLanes::copy_from(const ModelWeights& rows) {
  for (std::size_t i = 0; i < models_; ++i) {
    const std::span<const float> row = rows[i];
    for (std::size_t k = 0; k < dimension_; ++k) weights_[k * kLanes + i] = row[k];
  }
}

LaneSums::LaneSums(std::size_t dimension)
    : losses_(ModelLanes::kLanes, 0.0),
      gradients_(dimension * ModelLanes::kLanes, 0.0F),
      dimension_(dimension) {}

void LaneSums::add(const simd::LaneRows& rows, ModelBits held, bool lasting) {
  reporters_ += rows.count;
  touched_ |= held;
  if (lasting) {
    waiting_.x = rows.x;
    waiting_.factors = rows.factors;
    waiting_.losses = rows.losses;
    waiting_.count = rows.count;
    return;
  }
  simd::kernels().add_lane_products(gradients_.data(), fresh_, dimension_, rows);
  simd::kernels().add_lane_losses(losses_.data(), fresh_, rows, ModelLanes::kLanes, losses_.data());
  fresh_ = false;
}

}  // namespace caucus
