#include "caucus/core/model_lanes.hpp"

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

void ModelLanes::descend(std::span<const float> gradients, std::span<const double> rates,
                         ModelBits touched) {
  alignas(64) float factors[kLanes];
  alignas(64) double radii[kLanes];  // an untouched model stays where it is
  for (std::size_t i = 0; i < kLanes; ++i) {
    const bool is_touched = ((touched >> i) & 1U) != 0;
    factors[i] = is_touched ? static_cast<float>(-rates[i]) : 0.0F;
    radii[i] = is_touched ? radii_[i] : std::numeric_limits<double>::infinity();
  }
  alignas(64) float scales[kLanes];
  simd::kernels().move_lanes(weights_.data(), gradients.data(), dimension_, factors, radii, scales);
  bool finite = true;
  for (const float scale : scales) finite &= scale != 0.0F;
  if (finite) return;
  for (std::size_t i = 0; i < models_; ++i) {
    if (scales[i] == 0.0F) clear(i);  // what is not finite does not become 0 by a factor
  }
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
    : losses(ModelLanes::kLanes, 0.0),
      gradients(dimension * ModelLanes::kLanes, 0.0F),
      dimension_(dimension) {}

void LaneSums::add(std::span<const float* const> x, std::span<const float> factors,
                   std::span<const float> row_losses, ModelBits held) {
  const bool fresh = reporters == 0;
  simd::kernels().add_lane_products(gradients.data(), fresh, dimension_, x.data(), factors.data(),
                                    x.size());
  simd::kernels().add_rows(losses.data(), fresh, row_losses.data(), x.size());
  reporters += x.size();
  touched |= held;
}

}  // namespace caucus
