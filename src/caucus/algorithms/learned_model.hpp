// The result of learning, as it can be stored and used: p over the spaces and a model for each. It
// predicts with the mean over p, sum_i p_i f_i(x), which for a convex loss is in expectation never
// worse than drawing one model from p.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "caucus/core/features/feature_maps.hpp"
#include "caucus/core/statistics/error_bars.hpp"
#include "caucus/loss.hpp"

namespace caucus {

struct LearnedModel {
  std::vector<double> probabilities;
  std::vector<std::vector<float>> weights;
  std::optional<ErrorBars> error_bars = {};  ///< if it was learned from sums, for the square loss
  std::size_t classes = 0;                   ///< if each class has an output, their number
};

/// Uses a LearnedModel on examples; the maps and the loss must be those it was learned with.
class Predictor {
 public:
  Predictor(const FeatureMaps& maps, const Loss& loss, const LearnedModel& model);
  double operator()(std::span<const float> x);
  /// Writes the probabilities of the classes, if each has an output.
  void probabilities(std::span<const float> x, std::span<double> into);
  /// Returns the outputs from which the last probabilities were made.
  [[nodiscard]] const std::vector<double>& mean_outputs() const { return mean_; }

 private:
  const FeatureMaps* maps_;
  const Loss* loss_;
  const LearnedModel* model_;
  FeatureMaps::Workspace workspace_;
  std::vector<double> mean_, outputs_;  ///< of the classes
};

}  // namespace caucus
