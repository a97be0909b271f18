#include "caucus/algorithms/baselines/kofl.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "caucus/algorithms/baselines/bounded.hpp"
#include "caucus/algorithms/baselines/hedge.hpp"

namespace caucus {

void Kofl::step_local(LocalModels& memory, const Forecast& forecast, double y) const {
  const double decay = 1.0 - 2.0 * rates().model_rate * rates().regularization;
  memory.losses.resize(forecast.outputs.size());
  for (std::size_t i = 0; i < memory.losses.size(); ++i) {
    const double f = forecast.outputs[i];
    std::vector<float>& w = memory.models[i];
    memory.losses[i] =
        bounded_loss(plan().loss.value(f, y) + penalty_of(w, rates().regularization));
    bounded_step(w, decay, rates().model_rate * plan().loss.derivative(f, y), forecast.features[i]);
  }
  memory.clock.end_example();
}

void Kofl::choose(std::span<const double> chances, std::uint32_t batch) {
  Stream draws = stream(Purpose::sampling, batch, kEveryClient);
  chosen_ = draw_index(chances, draws);
}

HedgedKofl::HedgedKofl(std::shared_ptr<const BaselineSettings> settings)
    : Kofl(std::move(settings)), p_(Simplex::uniform(models_.size())) {
  selection_ = p_.probabilities();
}

void HedgedKofl::report(LocalModels& memory, const Forecast& forecast, double y,
                        BaselineBatch& into) const {
  step_local(memory, forecast, y);
  ++into.examples;
  into.models.resize(memory.models.size());
  for (std::uint32_t i = 0; i < memory.models.size(); ++i) {
    into.models[i] = {i, memory.models[i], into.models[i].loss + memory.losses[i]};
  }
}

void HedgedKofl::move_probabilities(const KeptReports& reports) {
  std::vector<double> losses(models_.size(), 0.0);
  for (const ReportBatch& batch : reports.batches()) {
    for (std::size_t m = 0; m < batch.spaces.size(); ++m) {
      losses[batch.spaces[m]] += static_cast<double>(batch.losses[m]);
    }
  }
  hedge(p_, losses, rates().weight_rate);
  selection_ = p_.probabilities();
}

EmKofl::EmKofl(std::shared_ptr<const BaselineSettings> settings) : HedgedKofl(std::move(settings)) {
  choose(selection_, 0);
}

void EmKofl::step(const Batch& batch, const KeptReports& reports) {
  if (reports.reporters() == 0) return;
  move_probabilities(reports);
  choose(selection_, batch.number);
  average_models(reports);
}

void VmKofl::predict(LocalModels& memory, const Assignment& assignment, std::span<const float> x,
                     Forecast& into) const {
  Baseline::predict(memory, assignment, x, into);
  double mean = 0.0;
  for (const HeldModel& held : assignment.held) mean += held.share * into.outputs[held.space];
  into.output = finite_forecast(mean);
}

void VmKofl::step(const Batch&, const KeptReports& reports) {
  if (reports.reporters() == 0) return;
  move_probabilities(reports);
  average_models(reports);
}

std::vector<double> power_vote(std::span<const std::size_t> counts, std::size_t clients) {
  std::vector<double> logs;
  for (const std::size_t count : counts) {
    logs.push_back(count == 0
                       ? -std::numeric_limits<double>::infinity()
                       : static_cast<double>(clients) * std::log(static_cast<double>(count)));
  }
  return Simplex::from_log_weights(std::move(logs)).probabilities();
}

PmKofl::PmKofl(std::shared_ptr<const BaselineSettings> settings) : Kofl(std::move(settings)) {
  choose(selection_, 0);
}

void PmKofl::report(ClientState& memory, const Forecast& forecast, double y,
                    BaselineBatch& into) const {
  const auto K = static_cast<double>(models_.size());
  const auto t = static_cast<double>(memory.clock.round());
  if (memory.v.size() == 0) memory.v = Simplex::uniform(models_.size());
  memory.losses.clear();
  for (const double f : forecast.outputs) {
    memory.losses.push_back(bounded_loss(plan().loss.value(f, y)));
  }
  hedge(memory.v, memory.losses, std::log(K) / std::sqrt(t));
  step_local(memory, forecast, y);
  // Any example may turn out to be the last of the batch: each draws, with the same random number.
  Stream draws = stream(Purpose::client, memory.clock.batch(), memory.clock.client());
  into.selection = memory.v.probabilities();
  const std::size_t index = draw_index(into.selection, draws);
  into.models.assign(1, {static_cast<std::uint32_t>(index), memory.models[index]});
  ++into.examples;
}

void PmKofl::step(const Batch& batch, const KeptReports& reports) {
  if (reports.reporters() == 0) return;
  std::vector<std::size_t> counts(models_.size(), 0);
  for (const ReportBatch& some : reports.batches()) {
    for (const std::uint32_t space : some.spaces) ++counts[space];
  }
  choose(power_vote(counts, settings_->clients), batch.number);
  average_models(reports);
  average_selection(reports);
}

}  // namespace caucus
