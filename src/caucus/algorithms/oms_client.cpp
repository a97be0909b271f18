#include "caucus/algorithms/oms_client.hpp"

#include "caucus/core/base/vector.hpp"

namespace caucus {

double held_output(const Plan& plan, const HeldModel& model, std::span<const float> x,
                   std::span<const float> features) {
  // Only a frozen expert has no features.
  return finite_forecast(features.empty() ? plan.expert_output(model.space, x)
                                          : dot(model.weights, features));
}

void predict_with_held(const Plan& plan, const Assignment& assignment, std::span<const float> x,
                       Forecast& into) {
  into.workspace.begin(x);
  into.outputs.clear();
  into.features.clear();
  into.output = 0.0;
  for (const HeldModel& model : assignment.held) {
    const auto features = plan.maps.features(model.space, into.workspace);
    into.features.push_back(features);
    into.outputs.push_back(held_output(plan, model, x, features));
    into.output += model.share * into.outputs.back();
  }
}

void report_held(const Plan& plan, const Forecast& forecast, double y, BatchMean& into) {
  for (std::size_t a = 0; a < forecast.outputs.size(); ++a) {
    const auto [loss, derivative] = plan.loss.value_and_derivative(forecast.outputs[a], y);
    into.add(a, loss, static_cast<float>(derivative), forecast.features[a]);
  }
  into.end_example();
}

}  // namespace caucus
