#include "caucus/algorithms/oms_client.hpp"

#include <algorithm>
#include <cmath>

#include "caucus/core/bounds.hpp"
#include "caucus/core/vector.hpp"

namespace caucus {

double finite_forecast(double value) {
  return std::isnan(value) ? kLargestForecast
                           : std::clamp(value, -kLargestForecast, kLargestForecast);
}

void predict_with_held(const Plan& plan, const Assignment& assignment, std::span<const float> x,
                       Forecast& into) {
  into.workspace.begin(x);
  into.outputs.clear();
  into.features.clear();
  for (const HeldModel& model : assignment.held) {
    const auto features = plan.maps.features(model.space, into.workspace);
    const bool learns = plan.maps.space(model.space).kind != SpaceKind::expert;
    into.features.push_back(features);
    into.outputs.push_back(
        finite_forecast(learns ? dot(model.weights, features)
                               : plan.maps.expert_forecast(model.space, into.workspace)));
  }
  into.output = 0.0;
  for (std::size_t a = 0; a < assignment.held.size(); ++a) {
    into.output += assignment.held[a].share * into.outputs[a];
  }
}

void report_held(const Plan& plan, const Forecast& forecast, double y, BatchMean& into) {
  for (std::size_t a = 0; a < forecast.outputs.size(); ++a) {
    const double v = forecast.outputs[a];
    into.add(a, plan.loss.value(v, y), static_cast<float>(plan.loss.derivative(v, y)),
             forecast.features[a]);
  }
  into.end_example();
}

std::size_t held_upload_bits(const Assignment& assignment, std::size_t models) {
  return held_download_bits(assignment, models) + 32 * assignment.held.size();
}

std::size_t held_download_bits(const Assignment& assignment, std::size_t models) {
  std::size_t bits = assignment.held.size() * index_bits(models);
  for (const HeldModel& model : assignment.held) bits += 32 * model.weights.size();
  return bits;
}

}  // namespace caucus
