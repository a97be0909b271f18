#include "caucus/algorithms/baselines/pm_kofl.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "caucus/algorithms/baselines/hedge.hpp"
#include "caucus/core/losses/bounds.hpp"

namespace caucus {

void PmKoflBatch::begin(const TimedAssignment& assignment) {
  client_ = assignment.client;
  examples_ = 0;
}

void PmKoflBatch::set(std::uint32_t index, const ModelSet& models, const Simplex& v) {
  index_ = index;
  models_ = &models;
  selection_ = v.probabilities();
  ++examples_;
}

void PmKoflBatch::report(ReportBatch& into) const {
  if (examples_ == 0) return;
  into.add_report(client_, examples_);
  into.add_model(index_, 0.0F, 1.0F, (*models_)[index_]);
  into.selections.insert(into.selections.end(), selection_.begin(), selection_.end());
}

std::vector<double> power_vote(std::span<const std::size_t> counts, std::size_t clients) {
  std::vector<double> logs;
  logs.reserve(counts.size());
  for (const std::size_t count : counts) {
    logs.push_back(count == 0
                       ? -std::numeric_limits<double>::infinity()
                       : static_cast<double>(clients) * std::log(static_cast<double>(count)));
  }
  const Simplex chances = Simplex::from_log_weights(std::move(logs));
  return chances.probabilities();
}

void PmKofl::Aggregate::clear() {
  reporters_ = 0;
  for (auto& models : sent_) models.clear();
  std::fill(selection_.begin(), selection_.end(), 0.0);
}

PmKofl::PmKofl(std::shared_ptr<const BaselineSettings> settings)
    : settings_(std::move(settings)),
      means_(settings_->plan->maps),
      selection_(means_.size(), 1.0 / static_cast<double>(means_.size())),
      chosen_(draw(selection_, 0)) {}

/// The draw at the end of a batch is for the one after it; that for the first is made beforehand.
std::size_t PmKofl::draw(std::span<const double> chances, std::uint32_t batch) const {
  Stream stream({settings_->seed, Purpose::sampling, settings_->repetition, batch, kEveryClient});
  return draw_index(chances, stream);
}

void PmKofl::assign(const Batch& batch, std::uint32_t client, Assignment& into) const {
  into.client = client;
  into.batch = batch;
  into.held.assign(1, {static_cast<std::uint32_t>(chosen_), means_[chosen_]});
}

void PmKofl::predict(ClientState& memory, const Assignment& assignment, std::span<const float> x,
                     Forecast& into) const {
  memory.take_over(settings_->plan->maps, assignment);
  predict_with_local(*settings_->plan, memory, x, into);
  into.output = into.outputs[assignment.held.front().space];
}

void PmKofl::move_weights(ClientState& memory, const Forecast& forecast, double y) const {
  const auto K = static_cast<double>(means_.size());
  if (memory.v.size() == 0) memory.v = Simplex::uniform(means_.size());
  memory.losses.clear();
  for (const double f : forecast.outputs) {
    memory.losses.push_back(bounded_loss(settings_->plan->loss.value(f, y)));
  }
  const auto t = static_cast<double>(memory.clock.round());
  hedge(memory.v, memory.losses, std::log(K) / std::sqrt(t));
}

void PmKofl::report(ClientState& memory, const Forecast& forecast, double y,
                    BatchMean& into) const {
  move_weights(memory, forecast, y);
  step_local(*settings_->plan, settings_->rates, forecast, y, memory, memory.losses);
  // Any example may turn out to be the last of the batch: each draws, with the same random number.
  Stream stream({settings_->seed, Purpose::client, settings_->repetition, memory.clock.batch(),
                 memory.clock.client()});
  const std::size_t index = draw_index(memory.v.probabilities(), stream);
  into.set(static_cast<std::uint32_t>(index), memory.models, memory.v);
}

void PmKofl::aggregate(const ReportBatch& reports, Aggregate& into) const {
  into.reporters_ += reports.size();
  for (std::size_t n = 0; n < reports.size(); ++n) {
    into.sent_[reports.spaces[n]].push_back(reports.directions[n]);
    for (std::size_t i = 0; i < means_.size(); ++i) {
      into.selection_[i] += reports.selections[n * means_.size() + i];
    }
  }
}

void PmKofl::step(const Batch& batch, const Aggregate& aggregate) {
  if (aggregate.reporters_ == 0) return;
  std::vector<std::size_t> counts;
  for (std::size_t i = 0; i < means_.size(); ++i) {
    counts.push_back(aggregate.sent_[i].size());
    selection_[i] = aggregate.selection_[i] / static_cast<double>(aggregate.reporters_);
  }
  chosen_ = draw(power_vote(counts, settings_->clients), batch.number);
  average_into(means_[chosen_], aggregate.sent_[chosen_]);
}

std::size_t PmKofl::upload_bits(const Assignment&) const {
  return 32 * largest_dimensions(settings_->plan->maps, 1) + index_bits(means_.size());
}

std::size_t PmKofl::upload_bits(const ReportBatch& reports) const {
  return 32 * reports.floats() + reports.size() * index_bits(means_.size());
}

std::size_t PmKofl::download_bits(const Assignment& assignment) const {
  return 32 * assignment.held.front().weights.size() + index_bits(means_.size());
}

}  // namespace caucus
