#include "caucus/algorithms/baselines/fed_omd.hpp"

#include <cassert>
#include <utility>

namespace caucus {

FedOmd::FedOmd(std::shared_ptr<const BaselineSettings> settings)
    : settings_(std::move(settings)), w_(settings_->plan->maps.dimension(0), 0.0F) {
  assert(settings_->plan->maps.size() == 1);
}

void FedOmd::assign(const Batch& batch, std::uint32_t client, Assignment& into) const {
  into.client = client;
  into.batch = batch;
  into.held.assign(1, {0, w_});
}

void FedOmd::predict(ClientState& memory, const Assignment& assignment, std::span<const float> x,
                     Forecast& into) const {
  if (memory.clock.begins(assignment)) {
    const auto mean = assignment.held.front().weights;
    memory.w.assign(mean.begin(), mean.end());
  }
  into.workspace.begin(x);
  into.features.assign(1, settings_->plan->maps.features(0, into.workspace));
  into.output = held_output(*settings_->plan, {0, memory.w}, x, into.features.front());
}

void FedOmd::report(ClientState& memory, const Forecast& forecast, double y,
                    BatchMean& into) const {
  const Plan& plan = *settings_->plan;
  step_within(plan.maps.space(0), memory.w,
              settings_->rates.model_rate * plan.loss.derivative(forecast.output, y),
              forecast.features.front());
  into.set(memory.w);
  memory.clock.end_example();
}

}  // namespace caucus
