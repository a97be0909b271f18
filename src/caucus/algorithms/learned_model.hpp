// What was learned, as it can be stored and used: p over the spaces and a model for each. It
// forecasts with the mean over p, sum_i p_i f_i(x), which for a convex loss is in expectation never
// worse than drawing one model from p.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "caucus/core/features/feature_maps.hpp"

namespace caucus {

struct LearnedModel {
  std::vector<double> probabilities;
  std::vector<std::vector<float>> weights;
};

/// From p and the weights of all models.
template <class Probabilities, class Weights>
LearnedModel learned_from(const Probabilities& p, const Weights& weights) {
  LearnedModel model{p.probabilities(), {}};
  for (std::size_t i = 0; i < p.size(); ++i) {
    const auto w = weights[i];
    model.weights.emplace_back(w.begin(), w.end());
  }
  return model;
}

/// Uses a LearnedModel on examples; the maps must be those it was learned with.
class Predictor {
 public:
  Predictor(const FeatureMaps& maps, const LearnedModel& model);
  double operator()(std::span<const float> x);

 private:
  const FeatureMaps* maps_;
  const LearnedModel* model_;
  FeatureMaps::Workspace workspace_;
};

}  // namespace caucus
