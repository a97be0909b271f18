#include "caucus/algorithms/learned_model.hpp"

#include "caucus/algorithms/oms_client.hpp"
#include "caucus/core/base/vector.hpp"
#include "caucus/core/losses/classes.hpp"

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

void Predictor::probabilities(std::span<const float> x, std::span<double> into) {
  workspace_.begin(x);
  outputs_.resize(into.size());
  mean_.assign(into.size(), 0.0);
  for (std::size_t i = 0; i < maps_->size(); ++i) {
    const HeldModel model{static_cast<std::uint32_t>(i), model_->weights[i], 0.0};
    class_outputs(*maps_, model, x, maps_->features(i, workspace_), outputs_);
    for (std::size_t c = 0; c < into.size(); ++c) {
      mean_[c] += model_->probabilities[i] * outputs_[c];
    }
  }
  if (model_->error_bars) {
    softmax(mean_, sharpness(model_->error_bars->variance, into.size()), into);
  } else {
    plain_probabilities(mean_, into);
  }
}

}  // namespace caucus
