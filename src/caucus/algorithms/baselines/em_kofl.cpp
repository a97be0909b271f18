#include "caucus/algorithms/baselines/em_kofl.hpp"

#include <algorithm>
#include <utility>

#include "caucus/algorithms/baselines/hedge.hpp"
#include "caucus/core/losses/bounds.hpp"

namespace caucus {

void EmKofl::Aggregate::clear() {
  std::fill(losses_.begin(), losses_.end(), 0.0);
  for (auto& models : models_) models.clear();
}

EmKofl::EmKofl(std::shared_ptr<const BaselineSettings> settings)
    : settings_(std::move(settings)),
      p_(Simplex::uniform(settings_->plan->maps.size())),
      means_(settings_->plan->maps) {
  draw(0);
}

/// The draw at the end of a batch is for the one after it; that for the first is made beforehand.
void EmKofl::draw(std::uint32_t batch) {
  Stream stream({settings_->seed, Purpose::sampling, settings_->repetition, batch, kEveryClient});
  chosen_ = draw_index(p_.probabilities(), stream);
}

void EmKofl::assign(const Batch& batch, std::uint32_t client, Assignment& into) const {
  into.client = client;
  into.batch = batch;
  into.held.assign(1, {static_cast<std::uint32_t>(chosen_), means_[chosen_]});
}

void EmKofl::predict(ClientState& memory, const Assignment& assignment, std::span<const float> x,
                     Forecast& into) const {
  memory.take_over(settings_->plan->maps, assignment);
  predict_with_local(*settings_->plan, memory, x, into);
  into.output = into.outputs[assignment.held.front().space];
}

void EmKofl::report(ClientState& memory, const Forecast& forecast, double y,
                    BatchMean& into) const {
  step_local(*settings_->plan, settings_->rates, forecast, y, memory, memory.losses);
  into.add(memory.losses, memory.models);
}

void EmKofl::aggregate(const ReportBatch& reports, Aggregate& into) const {
  for (std::size_t m = 0; m < reports.spaces.size(); ++m) {
    into.losses_[reports.spaces[m]] += static_cast<double>(reports.losses[m]);
    into.models_[reports.spaces[m]].push_back(reports.directions[m]);
  }
}

void EmKofl::step(const Batch& batch, const Aggregate& aggregate) {
  if (aggregate.models_.front().empty()) return;
  hedge(p_, aggregate.losses_, settings_->rates.weight_rate);
  draw(batch.number);
  average_into(means_[chosen_], aggregate.models_[chosen_]);
}

std::size_t EmKofl::upload_bits(const Assignment& assignment) const {
  return 32 * p_.size() + download_bits(assignment);
}

std::size_t EmKofl::download_bits(const Assignment& assignment) const {
  return 32 * assignment.held.front().weights.size() + index_bits(p_.size());
}

std::vector<double> EmKofl::selection() const { return p_.probabilities(); }

}  // namespace caucus
