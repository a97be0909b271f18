#include "caucus/algorithms/oms_client.hpp"

#include <algorithm>

#include "caucus/core/base/vector.hpp"
#include "caucus/core/losses/classes.hpp"

namespace caucus {

double held_output(const Plan& plan, const HeldModel& model, std::span<const float> x,
                   std::span<const float> features) {
  // Only a frozen expert has no features.
  return finite_forecast(features.empty() ? plan.expert_output(model.space, x)
                                          : dot(model.weights, features));
}

void class_outputs(const FeatureMaps& maps, const HeldModel& model, std::span<const float> x,
                   std::span<const float> features, std::span<double> into) {
  if (features.empty()) {
    const double named = maps.expert_forecast(model.space, x);
    for (std::size_t c = 0; c < into.size(); ++c) {
      into[c] = named == static_cast<double>(c) ? 1.0 : 0.0;
    }
    return;
  }
  for (std::size_t c = 0; c < into.size(); ++c) {
    const auto weights = model.weights.subspan(c * features.size(), features.size());
    into[c] = finite_forecast(dot(weights, features));
  }
}

void plain_probabilities(std::span<const double> outputs, std::span<double> into) {
  constexpr double kLeast = 0.01;
  double sum = 0.0;
  for (std::size_t c = 0; c < into.size(); ++c) {
    into[c] = std::clamp(outputs[c], kLeast, 1.0);
    sum += into[c];
  }
  for (double& p : into) p /= sum;
}

namespace {

void predict_classes(const Plan& plan, const Assignment& assignment, std::span<const float> x,
                     Forecast& into) {
  const std::size_t classes = plan.loss.classes();
  into.outputs.resize(assignment.held.size() * classes);
  into.classes.assign(classes, 0.0);
  for (std::size_t a = 0; a < assignment.held.size(); ++a) {
    const HeldModel& model = assignment.held[a];
    const auto features = plan.maps.features(model.space, into.workspace);
    const auto outputs = std::span(into.outputs).subspan(a * classes, classes);
    into.features.push_back(features);
    class_outputs(plan.maps, model, x, features, outputs);
    for (std::size_t c = 0; c < classes; ++c) into.classes[c] += model.share * outputs[c];
  }
  into.output = static_cast<double>(likeliest(into.classes));
}

}  // namespace

void predict_with_held(const Plan& plan, const Assignment& assignment, std::span<const float> x,
                       Forecast& into) {
  into.workspace.begin(x);
  into.outputs.clear();
  into.features.clear();
  if (plan.loss.has_classes()) return predict_classes(plan, assignment, x, into);
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
