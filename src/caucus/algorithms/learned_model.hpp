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
};

/// Uses a LearnedModel on examples; the maps and the loss must be those it was learned with.
class Predictor {
 public:
  Predictor(const FeatureMaps& maps, const Loss& loss, const LearnedModel& model);
  double operator()(std::span<const float> x);

 private:
  const FeatureMaps* maps_;
  const Loss* loss_;
  const LearnedModel* model_;
  FeatureMaps::Workspace workspace_;
};

}  // namespace caucus
