#include "caucus/core/model_lanes.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "caucus/core/ball.hpp"

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
  std::array<float, kLanes> factors{};
  std::array<float, kLanes> squares{};
  for (std::size_t i = 0; i < kLanes; ++i) {
    factors[i] = ((touched >> i) & 1U) != 0 ? static_cast<float>(-rates[i]) : 0.0F;
  }
  simd::kernels().move_lanes(weights_.data(), gradients.data(), dimension_, factors.data(),
                             squares.data());
  bool outside = false;
  bool finite = true;
  for (std::size_t i = 0; i < kLanes; ++i) {
    const float scale = Ball{radii_[i]}.scale_of(static_cast<double>(squares[i]));
    factors[i] = ((touched >> i) & 1U) != 0 ? scale : 1.0F;
    outside |= factors[i] != 1.0F;
    finite &= factors[i] != 0.0F;
  }
  if (!outside) return;
  simd::kernels().scale_lanes(weights_.data(), dimension_, factors.data());
  if (finite) return;
  for (std::size_t i = 0; i < models_; ++i) {
    if (factors[i] == 0.0F) clear(i);
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
  constexpr std::size_t kLanes = ModelLanes::kLanes;
  const bool fresh = reporters == 0;
  simd::kernels().add_outer_products(gradients.data(), fresh, dimension_, x.data(), factors.data(),
                                     x.size());
  std::array<double, kLanes> sums{};
  if (!fresh) std::copy(losses.begin(), losses.end(), sums.begin());
  for (std::size_t r = 0; r < x.size(); ++r) {
    const float* const row = row_losses.data() + r * kLanes;
    for (std::size_t i = 0; i < kLanes; ++i) sums[i] += static_cast<double>(row[i]);
  }
  std::copy(sums.begin(), sums.end(), losses.begin());
  reporters += x.size();
  touched |= held;
}

}  // namespace caucus
