#include "caucus/algorithms/learned_model.hpp"

#include "caucus/algorithms/oms_client.hpp"
#include "caucus/core/base/vector.hpp"

namespace caucus {

Predictor::Predictor(const FeatureMaps& maps, const Loss& loss, const LearnedModel& model)
    : maps_(&maps), loss_(&loss), model_(&model), workspace_(maps) {}

double Predictor::operator()(std::span<const float> x) {
  workspace_.begin(x);
  double mean = 0.0;
  for (std::size_t i = 0; i < maps_->size(); ++i) {
    const bool learns = maps_->space(i).kind != SpaceKind::expert;
    const double forecast = learns ? dot(model_->weights[i], maps_->features(i, workspace_))
                                   : loss_->prediction_of(maps_->expert_forecast(i, workspace_));
    mean += model_->probabilities[i] * finite_forecast(forecast);
  }
  return mean;
}

}  // namespace caucus
