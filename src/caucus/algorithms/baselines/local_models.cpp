#include "caucus/algorithms/baselines/local_models.hpp"

#include <algorithm>
#include <cmath>

#include "caucus/core/base/vector.hpp"

namespace caucus {

bool LocalModels::take_over(const FeatureMaps& maps, const TimedAssignment& assignment) {
  if (!clock.begins(assignment)) return false;
  if (models.empty()) models = ModelSet(maps);
  for (const HeldModel& held : assignment.held) {
    std::copy(held.weights.begin(), held.weights.end(), models[held.space].begin());
  }
  return true;
}

void predict_with_local(const Plan& plan, const LocalModels& memory, std::span<const float> x,
                        Forecast& into) {
  into.workspace.begin(x);
  into.outputs.clear();
  into.features.clear();
  for (std::uint32_t i = 0; i < plan.maps.size(); ++i) {
    into.features.push_back(plan.maps.features(i, into.workspace));
    into.outputs.push_back(held_output(plan, {i, memory.models[i]}, x, into.features.back()));
  }
}

void step_local(const Plan& plan, const BaselineRates& rates, const Forecast& forecast, double y,
                LocalModels& memory, std::vector<double>& losses) {
  const double decay = 1.0 - 2.0 * rates.model_rate * rates.regularization;
  losses.resize(forecast.outputs.size());
  for (std::size_t i = 0; i < losses.size(); ++i) {
    const double f = forecast.outputs[i];
    const auto w = memory.models[i];
    losses[i] = bounded_loss(plan.loss.value(f, y) + penalty_of(w, rates.regularization));
    bounded_step(w, decay, rates.model_rate * plan.loss.derivative(f, y), forecast.features[i]);
  }
  memory.clock.end_example();
}

void LocalBatch::begin(const TimedAssignment& assignment) {
  client_ = assignment.client;
  examples_ = 0;
  losses_.clear();
}

void LocalBatch::add(std::span<const double> losses, const ModelSet& models) {
  losses_.resize(losses.size(), 0.0);
  for (std::size_t i = 0; i < losses.size(); ++i) losses_[i] += losses[i];
  models_ = &models;
  ++examples_;
}

void LocalBatch::report(ReportBatch& into) const {
  if (examples_ == 0) return;
  constexpr double kLargest = 1e38;  // a float
  into.add_report(client_, examples_);
  for (std::size_t i = 0; i < losses_.size(); ++i) {
    into.add_model(static_cast<std::uint32_t>(i),
                   static_cast<float>(std::clamp(losses_[i], -kLargest, kLargest)), 1.0F,
                   (*models_)[i]);
  }
}

void average_into(std::span<float> mean, std::span<const float* const> models) {
  std::fill(mean.begin(), mean.end(), 0.0F);
  for (const float* model : models) add(mean, {model, mean.size()});
  const auto count = static_cast<double>(models.size());
  for (float& w : mean) w = static_cast<float>(static_cast<double>(w) / count);
}

}  // namespace caucus
