#include "caucus/algorithms/baselines/fedposgd.hpp"

#include <cmath>

#include "caucus/algorithms/baselines/bounded.hpp"

namespace caucus {

void draw_direction(Stream& stream, std::span<float> direction) {
  std::vector<double> normals(direction.size());
  double square = 0.0;
  while (square == 0.0 && !normals.empty()) {  // 0 has no direction
    for (double& value : normals) {
      value = stream.normal();
      square += value * value;
    }
  }
  for (std::size_t k = 0; k < normals.size(); ++k) {
    direction[k] = static_cast<float>(normals[k] / std::sqrt(square));
  }
}

double FedPosgd::smoothing(std::size_t round) const {
  return rates().exploration * std::pow(static_cast<double>(round), -0.25);
}

double FedPosgd::rate(std::size_t round) const {
  const auto t = static_cast<double>(round);
  const auto d = static_cast<double>(models_.front().size());
  return rates().model_rate * smoothing(round) / (d * std::sqrt(t));
}

void FedPosgd::predict(ClientState& memory, const Assignment& assignment, std::span<const float> x,
                       Forecast& into) const {
  Baseline::predict(memory, assignment, x, into);
  Stream draws = stream(Purpose::client, memory.clock.round(), memory.clock.client());
  memory.played = memory.models.front();
  memory.direction.resize(memory.played.size());
  draw_direction(draws, memory.direction);
  project_into(plan().maps.space(0), memory.played);
  bounded_step(memory.played, 1.0, -smoothing(memory.clock.round()), memory.direction);
  into.output = held_output(plan(), {0, memory.played}, x, into.features.front());
}

void FedPosgd::report(ClientState& memory, const Forecast& forecast, double y,
                      BaselineBatch& into) const {
  const std::size_t t = memory.clock.round();
  const auto d = static_cast<double>(memory.played.size());
  const double loss = bounded_loss(plan().loss.value(forecast.output, y));
  bounded_step(memory.models.front(), 1.0, rate(t) * d / smoothing(t) * loss, memory.direction);
  end_example(memory, into);
}

LearnedModel FedPosgd::learned() const {
  LearnedModel model = OneModel::learned();
  project_into(plan().maps.space(0), model.weights.front());
  return model;
}

}  // namespace caucus
