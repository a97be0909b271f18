#include "caucus/algorithms/baselines/fedposgd.hpp"

#include <cassert>
#include <cmath>
#include <utility>

#include "caucus/core/base/vector.hpp"

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

FedPosgd::FedPosgd(std::shared_ptr<const BaselineSettings> settings)
    : settings_(std::move(settings)), w_(settings_->plan->maps.dimension(0), 0.0F) {
  assert(settings_->plan->maps.size() == 1);
}

double FedPosgd::smoothing(std::size_t round) const {
  return settings_->rates.exploration * std::pow(static_cast<double>(round), -0.25);
}

double FedPosgd::rate(std::size_t round) const {
  const auto t = static_cast<double>(round);
  const auto d = static_cast<double>(w_.size());
  return settings_->rates.model_rate * smoothing(round) / (d * std::sqrt(t));
}

void FedPosgd::assign(const Batch& batch, std::uint32_t client, Assignment& into) const {
  into.client = client;
  into.batch = batch;
  into.held.assign(1, {0, w_});
}

void FedPosgd::choose_point(ClientState& memory) const {
  Stream stream({settings_->seed, Purpose::client, settings_->repetition,
                 static_cast<std::uint32_t>(memory.clock.round()), memory.clock.client()});
  memory.direction.resize(memory.w.size());
  draw_direction(stream, memory.direction);
  memory.played = memory.w;
  project_into(settings_->plan->maps.space(0), memory.played);
  bounded_step(memory.played, 1.0, -smoothing(memory.clock.round()), memory.direction);
}

void FedPosgd::predict(ClientState& memory, const Assignment& assignment, std::span<const float> x,
                       Forecast& into) const {
  if (memory.clock.begins(assignment)) {
    const auto mean = assignment.held.front().weights;
    memory.w.assign(mean.begin(), mean.end());
  }
  choose_point(memory);
  into.workspace.begin(x);
  const Plan& plan = *settings_->plan;
  into.output = held_output(plan, {0, memory.played}, x, plan.maps.features(0, into.workspace));
}

void FedPosgd::report(ClientState& memory, const Forecast& forecast, double y,
                      BatchMean& into) const {
  const std::size_t t = memory.clock.round();
  const auto d = static_cast<double>(memory.w.size());
  const double loss = bounded_loss(settings_->plan->loss.value(forecast.output, y));
  bounded_step(memory.w, 1.0, rate(t) * d / smoothing(t) * loss, memory.direction);
  into.set(memory.w);
  memory.clock.end_example();
}

LearnedModel FedPosgd::learned() const {
  std::vector<float> projected = w_;
  project_into(settings_->plan->maps.space(0), projected);
  return {{1.0}, {std::move(projected)}};
}

}  // namespace caucus
