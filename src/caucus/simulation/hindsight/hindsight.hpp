// The best loss in hindsight of every space, at the rounds of a curve, for one repetition, and of
// a constant.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "caucus/core/features/feature_maps.hpp"
#include "caucus/engine/example_source.hpp"
#include "caucus/loss.hpp"

namespace caucus {

struct BestLosses {
  /// at[k][i] = min over space i of the summed loss of all clients' examples of the first rounds[k]
  /// rounds.
  std::vector<std::vector<double>> at;
  /// The largest possible difference between the last of them and the true minimum.
  std::vector<double> gap;
};

/// Spaces with the same features share their statistics.
BestLosses best_losses(const FeatureMaps& maps, const Loss& loss, const PartitionedData& data,
                       std::span<const std::size_t> rounds);

/// Returns the minimum over c of sum loss(c, y), the yardstick "mean predictor". For the logistic
/// loss it is n times the entropy of the classes. The linear loss has no minimum, so c is limited
/// to |c| <= max(1, max |y|).
[[nodiscard]] double best_constant_loss(const Loss& loss, std::span<const float> y);

}  // namespace caucus
