#include "caucus/engine/participant/participant.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <utility>

#include "caucus/core/base/fingerprint.hpp"
#include "caucus/core/base/vector.hpp"
#include "caucus/core/losses/classes.hpp"
#include "caucus/engine/participant/message_size.hpp"
#include "caucus/engine/problem.hpp"

namespace caucus {
namespace {

/// Returns a hash of the models, which only this process compares.
std::uint64_t fingerprint_of(const AssignmentRecord& assignment) {
  Fingerprint print;
  for (const HeldModelRecord& held : assignment.held) {
    print.add(held.space);
    print.add(std::bit_cast<std::uint64_t>(held.share));
    const auto* bytes = reinterpret_cast<const char*>(held.weights.data());
    print.add(std::hash<std::string_view>{}({bytes, held.weights.size() * sizeof(float)}));
  }
  return print.value();
}

}  // namespace

UploadRule client_rule(const SharedPlan& plan, std::size_t features) {
  UploadRule rule{plan.rounds_per_upload};
  if (!plan.hides_examples) return rule;
  hide_examples(rule, plan.spaces, plan.loss, features,
                held_models(plan.spaces, plan.loss, plan.sample_size, true));
  return rule;
}

Result<std::unique_ptr<Participant>> Participant::make(const SharedPlan& plan, std::uint32_t client,
                                                       ExpertCallback ask) {
  if (frequency_bytes(plan) > kMostFrequencyBytes) {
    return network_error("plan", "its frequencies would take more than 1 GB", "expected fewer");
  }
  CAUCUS_TRY(auto made, make_plan(plan));
  CAUCUS_TRY(auto limits, limits_of(plan));
  std::optional<AskedExperts> experts;
  if (ask) experts.emplace(std::move(ask), plan.spaces, plan.loss, plan.features);
  return std::unique_ptr<Participant>(
      new Participant(plan, std::move(made), client, std::move(limits), std::move(experts)));
}

Result<Participant::Limits> Participant::limits_of(const SharedPlan& plan) {
  CAUCUS_TRY(const auto scaling, known_scaling(plan.columns));
  Limits limits;
  if (!scaling || scaling->feature_columns.size() != plan.features) return limits;
  const bool are_columns = scaling->expert_columns.size() == plan.experts;
  if (!are_columns && !scaling->expert_columns.empty()) return limits;
  const auto add = [&](const Interval& range) {
    limits.x.emplace_back(static_cast<float>(range.first), static_cast<float>(range.second));
  };
  for (std::size_t k = 0; k < plan.features; ++k) add(scaling->feature_interval(k));
  const bool classes = plan.loss.is_classification();
  for (std::size_t k = 0; k < plan.experts && !plan.loss.has_classes(); ++k) {
    // Without a column of its own a forecast has the range of the target.
    const Interval others = classes ? Interval{-1.0, 1.0} : scaling->target_interval();
    add(are_columns ? scaling->expert_interval(k) : others);
  }
  if (!classes && !plan.loss.has_classes()) limits.y = scaling->target_interval();
  return limits;
}

Participant::Participant(SharedPlan shared, Plan plan, std::uint32_t client, Limits limits,
                         std::optional<AskedExperts> experts)
    : shared_(std::move(shared)),
      plan_(std::move(plan)),
      client_(client),
      rule_(client_rule(shared_, shared_.features)),
      limits_(std::move(limits)),
      experts_(std::move(experts)),
      most_pending_(std::max<std::size_t>(
          1, kPendingBytes / (sizeof(Pending) + (plan_.maps.example_size() +
                                                 (shared_.personal ? shared_.features : 0)) *
                                                    sizeof(float)))) {
  if (shared_.personal) personal_.emplace(shared_.features, shared_.loss);
}

// --- models ---

Status Participant::check(const AssignmentRecord& assignment) const {
  const auto wrong = [&](const std::string& what) {
    return network_error("batch " + std::to_string(assignment.batch), what,
                         "expected models as the plan has them");
  };
  if (assignment.batch == 0 || assignment.held.empty()) return wrong("no models");
  for (const HeldModelRecord& held : assignment.held) {
    if (held.space >= plan_.maps.size()) return wrong("space " + std::to_string(held.space));
    if (held.weights.size() != plan_.loss.outputs() * plan_.maps.dimension(held.space)) {
      return wrong("a model of " + std::to_string(held.weights.size()) + " numbers");
    }
    if (!(held.share >= 0.0 && held.share <= 1.0)) return wrong("a share outside [0, 1]");
    if (!std::isfinite(magnitude(held.weights))) return wrong("a model that is not finite");
  }
  return Done{};
}

std::shared_ptr<Participant::Models> Participant::models_of(AssignmentRecord record) const {
  auto models = std::make_shared<Models>();
  models->batch = record.batch;
  models->examples = record.examples > 0 ? record.examples : shared_.rounds_per_upload;
  models->least_after_change = record.least_after_change;
  models->fingerprint = fingerprint_of(record);
  models->assignment.client = client_;
  models->assignment.examples = models->examples;
  for (HeldModelRecord& held : record.held) models->weights.push_back(std::move(held.weights));
  for (std::size_t a = 0; a < record.held.size(); ++a) {
    models->assignment.held.push_back(
        {record.held[a].space, models->weights[a], record.held[a].share});
    models->predicts = models->predicts || record.held[a].share > 0.0;
  }
  return models;
}

void Participant::served_by(std::uint64_t start, std::uint64_t since) {
  const std::lock_guard lock(mutex_);
  open_ = 0;  // the server may have closed the last batch meanwhile
  if (start == start_) return;
  // If the client missed a start of the server, it knows only that no durable batch was lost.
  const std::uint64_t same = start == start_ + 1 ? since : durable_ + 1;
  start_ = start;
  if (models_ != nullptr && models_->batch > same) agreed_ = std::min(agreed_.value_or(same), same);
}

Result<SharedReport> Participant::assign(AssignmentRecord record) {
  CAUCUS_CHECK(check(record));
  const std::uint64_t durable = record.durable;
  auto models = models_of(std::move(record));
  const std::lock_guard lock(mutex_);
  open_ = models->batch;
  durable_ = std::max(durable_, durable);
  retained_.drop_up_to(durable);
  compare(*models);
  if (const auto* before = retained_.find(open_)) return before->report;
  models->history = history_;
  models_ = std::move(models);
  answered_ = open_ - 1;
  if (shared_.statistics) {
    count_waiting();
  } else {
    forget_old_predictions();
  }
  return SharedReport();
}

/// Compares the batch with the batches before it: a server that was started again may have lost
/// batches and drawn other models.
void Participant::compare(const Models& models) {
  const std::uint64_t batch = models.batch;
  const auto* before = retained_.find(batch);
  // Models of a batch that was missed meanwhile cannot be compared any more.
  const bool passed = agreed_ && batch > *agreed_ + 1;
  bool other = false;
  if (before != nullptr) {
    other = before->fingerprint != models.fingerprint;
  } else if (models_ != nullptr && batch <= models_->batch) {
    // The models are the same, so the observations of them still count.
    other = batch < models_->batch || models.fingerprint != models_->fingerprint;
  }
  if (passed || other) {
    forget_after(agreed_ ? std::min(*agreed_, batch - 1) : 0);
  } else if (agreed_) {
    agreed_ = std::max(*agreed_, batch);
    if (*agreed_ >= models_->batch) agreed_.reset();
  }
}

bool Participant::too_old(std::uint64_t sampled_in) const {
  return models_->batch > sampled_in + shared_.label_delay;
}

bool Participant::stale(const Models& models) const {
  return (models.history != history_ && models.batch > fork_) || too_old(models.batch);
}

/// Drops everything about later batches, which the server has lost.
void Participant::forget_after(std::uint64_t batch) {
  ++history_;
  fork_ = batch;
  agreed_.reset();
  retained_.drop_after(batch);
  for (auto part = parts_.upper_bound(batch); part != parts_.end(); part = parts_.erase(part)) {
    counts_.forgotten += part->second.played.forecasts;
    counts_.observed -= part->second.played.forecasts;
  }
  unsent_.clear();
  if (shared_.statistics) return;  // labels may come for any models
  counts_.forgotten +=
      std::erase_if(pending_, [&](const auto& one) { return stale(*one.second.models); });
}

/// Drops predictions whose true values would be of no use; their models take memory.
void Participant::forget_old_predictions() {
  while (!order_.empty()) {
    const auto oldest = pending_.find(order_.front());
    if (oldest != pending_.end()) {
      if (!stale(*oldest->second.models)) return;
      pending_.erase(oldest);
      ++counts_.forgotten;
    }
    order_.pop_front();
  }
}

// --- predictions ---

/// Returns the memory of this prediction, or else the least recently used.
Participant::Computed Participant::take_forecast(std::uint64_t prediction) {
  const std::lock_guard lock(mutex_);
  if (forecasts_.empty()) return {0, std::make_unique<Forecast>(plan_.maps)};
  auto found = std::find_if(forecasts_.begin(), forecasts_.end(),
                            [&](const Computed& one) { return one.prediction == prediction; });
  if (found == forecasts_.end()) found = forecasts_.begin();
  Computed computed = std::move(*found);
  forecasts_.erase(found);
  return computed;
}

Status Participant::ask_experts(const Models& models, Pending& one) const {
  if (!experts_) return Done{};
  CAUCUS_CHECK(experts_->ask(spaces_of(models.assignment), one.example, one.x));
  for (std::size_t k = shared_.features; k < limits_.x.size(); ++k) {
    one.x[k] = std::clamp(one.x[k], limits_.x[k].first, limits_.x[k].second);  // NaN stays
  }
  return Done{};
}

Result<Prediction> Participant::predict(std::span<const float> x, std::uint64_t example) {
  const std::size_t given = experts_ ? shared_.features : plan_.maps.example_size();
  if (x.size() != given) {
    return usage_error("predict", std::to_string(x.size()) + " numbers",
                       "expected " + std::to_string(given));
  }
  for (const float value : x) {
    if (!std::isfinite(value)) return usage_error("predict", "a number that is not finite");
  }
  std::shared_ptr<const Models> models;
  {
    const std::lock_guard lock(mutex_);
    models = models_;
  }
  if (models == nullptr) {
    return network_error("predict", "there are no models yet", "expected an assignment first");
  }
  Pending one{std::move(models), {x.begin(), x.end()}, example};
  std::uint64_t clipped = 0;
  for (std::size_t k = 0; k < std::min(given, limits_.x.size()); ++k) {
    const auto [least, most] = limits_.x[k];
    const float inside = std::clamp(one.x[k], least, most);
    if (inside != one.x[k]) ++clipped;
    one.x[k] = inside;
  }
  one.x.resize(plan_.maps.example_size(), kNotAsked);
  CAUCUS_CHECK(ask_experts(*one.models, one));
  auto computed = take_forecast(0);
  // It uses the copy of x: some features are x itself, and observe() may read them.
  predict_with_held(plan_, one.models->assignment, one.x, *computed.forecast);
  one.output = computed.forecast->output;

  const std::lock_guard lock(mutex_);
  if (plan_.loss.has_classes()) {
    one.probabilities.resize(plan_.loss.classes());
    const std::span<const double> outputs = computed.forecast->classes;
    if (personal_) {
      personal_->predict(std::span(one.x).first(shared_.features),
                         outputs.first(one.models->predicts ? outputs.size() : 0),
                         one.probabilities);
      one.personal = personal_->last_forecast();
    } else {
      plain_probabilities(outputs, one.probabilities);
    }
    one.output = static_cast<double>(likeliest(one.probabilities));
  } else if (personal_) {
    one.output =
        personal_->predict(std::span(one.x).first(shared_.features),
                           one.models->predicts ? std::optional(one.output) : std::nullopt);
    one.personal = personal_->last_forecast();
  }
  const Prediction prediction{next_id_++, one.output, one.models->batch, one.probabilities};
  computed.prediction = prediction.id;
  forecasts_.push_back(std::move(computed));
  ++counts_.predictions;
  counts_.clipped += clipped;
  remember(prediction.id, std::move(one));
  return prediction;
}

void Participant::remember(std::uint64_t id, Pending one) {
  pending_.emplace(id, std::move(one));
  order_.push_back(id);
  while (order_.size() > kPending || pending_.size() > most_pending_) {
    counts_.forgotten += pending_.erase(order_.front());
    order_.pop_front();
  }
}

std::optional<Participant::Pending> Participant::take_pending(std::uint64_t id) {
  const std::lock_guard lock(mutex_);
  const auto found = pending_.find(id);
  if (found == pending_.end()) return std::nullopt;
  std::optional<Pending> one(std::move(found->second));
  pending_.erase(found);
  while (!order_.empty() && !pending_.contains(order_.front())) order_.pop_front();
  return one;
}

bool Participant::observe(std::uint64_t id, double y) {
  if (!std::isfinite(y) || !is_target(y)) return false;
  auto one = take_pending(id);
  if (!one) return false;
  if (limits_.y) {
    const auto inside = std::clamp(static_cast<float>(y), static_cast<float>(limits_.y->first),
                                   static_cast<float>(limits_.y->second));
    if (inside != static_cast<float>(y)) {
      const std::lock_guard lock(mutex_);
      ++counts_.clipped;
      y = static_cast<double>(inside);
    }
  }
  auto computed = take_forecast(id);
  if (shared_.statistics) {
    const std::lock_guard lock(mutex_);
    if (personal_ && one->personal) personal_->observe(*one->personal, y);
    ++counts_.observed;
    count_in_sums(std::move(*one), y, *computed.forecast, computed.prediction == id);
    computed.prediction = 0;
    forecasts_.insert(forecasts_.begin(), std::move(computed));
    return true;
  }
  if (computed.prediction != id) {  // its memory was needed meanwhile
    predict_with_held(plan_, one->models->assignment, one->x, *computed.forecast);
  }
  computed.prediction = 0;  // its x is overwritten now

  const std::lock_guard lock(mutex_);
  const bool counted = count(*one, *computed.forecast, y);
  ++(counted ? counts_.observed : counts_.forgotten);
  forecasts_.insert(forecasts_.begin(), std::move(computed));  // it is reused first
  return counted;
}

bool Participant::is_target(double y) const {
  if (!plan_.loss.has_classes()) return true;
  return y >= 0.0 && y < static_cast<double>(plan_.loss.classes()) && y == std::floor(y);
}

void Participant::forget(std::uint64_t id) {
  if (!take_pending(id)) return;
  const std::lock_guard lock(mutex_);
  ++counts_.forgotten;
}

bool Participant::count(const Pending& one, const Forecast& forecast, double y) {
  if (stale(*one.models)) return false;
  auto found = parts_.find(one.models->batch);
  if (found == parts_.end()) {
    found = parts_.emplace(one.models->batch, new_part(*one.models)).first;
  }
  Part& part = found->second;
  if (part.played.forecasts >= most_examples_per_part(shared_)) return false;
  report_held(plan_, forecast, y, std::get<BatchMean>(part.mean));
  part.played.add(plan_.loss, {client_, 0, one.output, y, one.probabilities});
  return true;
}

void Participant::count_in_sums(Pending one, double y, Forecast& forecast, bool is_computed) {
  if (!unanswered()) {
    waiting_.emplace_back(std::move(one), y);
    if (waiting_.size() <= most_pending_) return;
    waiting_.erase(waiting_.begin());
    --counts_.observed;
    ++counts_.forgotten;
    return;
  }
  auto found = parts_.find(models_->batch);
  if (found == parts_.end()) found = parts_.emplace(models_->batch, new_part(*models_)).first;
  Part& part = found->second;
  if (part.played.forecasts >= most_examples_per_part(shared_)) {
    --counts_.observed;
    ++counts_.forgotten;
    return;
  }
  if (!is_computed || one.models != models_) {
    if (!ask_experts(*models_, one).ok()) {  // the next prediction tells the error
      --counts_.observed;
      ++counts_.forgotten;
      return;
    }
    predict_with_held(plan_, models_->assignment, one.x, forecast);
  }
  std::get<BatchStatistics>(part.mean).add(forecast, y);
  part.played.add(plan_.loss, {client_, 0, one.output, y, one.probabilities});
  if (can_send(part)) {
    unsent_.clear();
  } else {
    unsent_.emplace_back(std::move(one), y);
  }
}

void Participant::keep_unsent() {
  if (parts_.empty() || can_send(parts_.begin()->second)) return;
  waiting_ = std::exchange(unsent_, {});
  parts_.clear();
}

void Participant::count_waiting() {
  Labelled waiting;
  std::swap(waiting, waiting_);
  if (waiting.empty()) return;
  Forecast forecast(plan_.maps);
  for (auto& [one, y] : waiting) count_in_sums(std::move(one), y, forecast, false);
}

Participant::Part Participant::new_part(const Models& models) const {
  Part part;
  if (shared_.statistics) part.mean.emplace<BatchStatistics>(plan_, rule_);
  std::visit([&](auto& mean) { mean.begin(models.assignment); }, part.mean);
  return part;
}

// --- reports ---

std::uint64_t Participant::waiting_observations() const {
  std::uint64_t sum = 0;
  for (const auto& [sampled_in, part] : parts_) {
    if (!too_old(sampled_in)) sum += part.played.forecasts;
  }
  return sum;
}

/// While reports are sent again, the newest models are not those of the open batch.
bool Participant::unanswered() const {
  return models_ != nullptr && models_->batch == open_ && answered_ < open_;
}

bool Participant::ready() const {
  const std::lock_guard lock(mutex_);
  if (!unanswered()) return false;
  const std::uint64_t waiting = waiting_observations();
  const std::uint64_t least = models_->least_after_change;
  const bool changed = personal_ && personal_->has_change() && least > 0;
  return waiting >= models_->examples || (changed && waiting >= least);
}

SharedReport Participant::take_report(bool last) {
  const std::lock_guard lock(mutex_);
  if (!unanswered()) return nullptr;
  const auto report = std::make_shared<ReportRecord>();
  report->batch = models_->batch;
  if (shared_.statistics && !last) keep_unsent();
  for (auto part = parts_.begin();
       part != parts_.end() && report->reports.size() < kPartsPerReport;) {
    const bool waits = !can_send(part->second) && !last;  // it may still become longer
    if (waits && !too_old(part->first)) {
      ++part;
      continue;
    }
    if (too_old(part->first) || !can_send(part->second)) {
      counts_.observed -= part->second.played.forecasts;  // they will not be reported
      counts_.forgotten += part->second.played.forecasts;
    } else {
      report->reports.sampled_in.push_back(part->first);
      std::visit([&](auto& mean) { mean.report(report->reports); }, part->second.mean);
      report->played.add(part->second.played);
    }
    part = parts_.erase(part);
  }
  // With late labels the personal losses are over other examples than the sums.
  if (personal_ && !report->reports.empty() && rule_.sends(personal_->record().examples)) {
    report->played.personal = personal_->take_record();
  }
  if (personal_ && !report->reports.empty() && personal_->end_batch()) {
    report->reports.mark_change();
  }
  report->last = last && parts_.empty();  // otherwise the next report has the rest
  answered_ = models_->batch;
  retained_.keep(models_->fingerprint, report);
  return report;
}

std::string Participant::personal_state() const {
  const std::lock_guard lock(mutex_);
  StateWriter to;
  if (personal_) {
    PersonalLayer copy = *personal_;
    copy.take_record();  // the next report has it
    copy.save(to);
  }
  return to.take();
}

Status Participant::restore_personal(std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  if (!personal_) {
    if (bytes.empty()) return Done{};
    return usage_error("personal layer", "the plan has none", "expected no state of it");
  }
  PersonalLayer restored(shared_.features, shared_.loss);
  if (!bytes.empty()) {
    StateReader from(bytes, "personal layer");
    CAUCUS_CHECK(restored.restore(from));
    CAUCUS_CHECK(from.done());
  }
  personal_ = std::move(restored);
  for (auto& [id, one] : pending_) one.personal.reset();
  return Done{};
}

void Participant::save(StateWriter& to) const {
  const std::lock_guard lock(mutex_);
  if (personal_) personal_->save(to);
  const auto open = parts_.find(models_->batch);
  to.flag(open != parts_.end());
  if (open == parts_.end()) return;
  std::visit([&](const auto& mean) { mean.save(to); }, open->second.mean);
}

Status Participant::restore(StateReader& from) {
  const std::lock_guard lock(mutex_);
  if (personal_) CAUCUS_CHECK(personal_->restore(from));
  if (!from.flag()) return from.status();
  Part part = new_part(*models_);
  const auto restore_mean = [&](auto& mean) -> Status {
    CAUCUS_CHECK(mean.restore(from));
    part.played.forecasts = mean.examples();
    return Done{};
  };
  CAUCUS_CHECK(std::visit(restore_mean, part.mean));
  counts_.observed += part.played.forecasts;
  parts_.emplace(models_->batch, std::move(part));
  return Done{};
}

std::uint64_t Participant::batch() const {
  const std::lock_guard lock(mutex_);
  return models_ == nullptr ? 0 : models_->batch;
}

Participant::Counts Participant::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

}  // namespace caucus
