// Up to 16 models that share their features, side by side: model i is lane i of every group of 16
// numbers. Outputs, gradients and steps of all of them then cost what those of one cost. The bits
// are those of one model after another, which is why short vectors are summed in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "caucus/core/base/aligned.hpp"
#include "caucus/core/features/feature_maps.hpp"
#include "caucus/core/features/model_weights.hpp"
#include "caucus/core/simd/kernels.hpp"

namespace caucus {

/// Models as bits: model i is bit i.
using ModelBits = std::uint32_t;

class LaneSums;

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
    simd::kernels().lane_outputs(weights_.data(), dimension_, x.data(), x.size(), out.data());
  }
  /// The estimates that the sums make, and a step of the touched models in their balls by them
  /// (Ball::descend); on the way that of the probabilities, if there is one: they wait for other
  /// things. Tells whether it was short enough.
  bool step(const LaneSums& sums, const simd::LaneEstimates& estimates,
            const simd::EntropyStep* probabilities);

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
    reporters_ = 0;
    touched_ = 0;
    fresh_ = true;
    waiting_.count = 0;
  }
  /// What lasts until the step, and is all there is, is added up by the step.
  void add(const simd::LaneRows& rows, ModelBits held, bool lasting);
  [[nodiscard]] std::size_t reporters() const { return reporters_; }

 private:
  friend class ModelLanes;
  std::size_t reporters_ = 0;
  ModelBits touched_ = 0;
  bool fresh_ = true;  ///< nothing was added to what follows
  std::vector<double> losses_;
  AlignedVector<float> gradients_;
  simd::LaneRows waiting_;  ///< rows that were not added yet
  std::size_t dimension_ = 0;
};

}  // namespace caucus
