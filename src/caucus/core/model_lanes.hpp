// Up to 16 models that share their features, side by side: model i is lane i of every group of 16
// numbers. Outputs, gradients and steps of all of them then cost what those of one cost. The bits
// are those of one model after another, which is why short vectors are summed in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "caucus/core/aligned.hpp"
#include "caucus/core/feature_maps.hpp"
#include "caucus/core/model_weights.hpp"
#include "caucus/core/simd/kernels.hpp"

namespace caucus {

/// Models as bits: model i is bit i.
using ModelBits = std::uint32_t;

class ModelLanes {
 public:
  static constexpr std::size_t kLanes = simd::kLanes;

  /// Linear models of one kind in balls, few and short enough.
  static bool can_hold(const FeatureMaps& maps);
  /// All weights 0.
  explicit ModelLanes(const FeatureMaps& maps);

  [[nodiscard]] std::size_t size() const { return models_; }  ///< K
  [[nodiscard]] std::size_t dimension() const { return dimension_; }
  /// out[16 r + i] = <w_i, x_r>
  void outputs(std::span<const float* const> x, std::span<float> out) const {
    simd::kernels().project(weights_.data(), dimension_, kLanes, models_, x.data(), x.size(),
                            out.data());
  }
  /// A step of the touched models in their balls (Ball::descend); gradients lie as the models do.
  void descend(std::span<const float> gradients, std::span<const double> rates, ModelBits touched);

  void copy_to(ModelWeights& rows) const;
  void copy_from(const ModelWeights& rows);

 private:
  void clear(std::size_t model);

  std::size_t models_, dimension_;
  std::vector<double> radii_;  ///< 16 of them
  AlignedVector<float> weights_;
};

/// Sums over clients of what ModelLanes needs for a step.
class LaneSums {
 public:
  LaneSums() = default;
  explicit LaneSums(std::size_t dimension);

  void clear() {
    reporters = 0;
    touched = 0;
  }
  /// One row for each client that reports: factors and losses of the 16 models, 0 for those that it
  /// did not hold. Its gradients are factors times x.
  void add(std::span<const float* const> x, std::span<const float> factors,
           std::span<const float> losses, ModelBits held);

  std::size_t reporters = 0;
  ModelBits touched = 0;
  std::vector<double> losses;
  AlignedVector<float> gradients;

 private:
  std::size_t dimension_ = 0;
};

}  // namespace caucus
