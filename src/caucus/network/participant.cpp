#include "caucus/network/participant.hpp"

#include <cmath>
#include <string>
#include <utility>

#include "caucus/core/vector.hpp"

namespace caucus {

Result<std::unique_ptr<Participant>> Participant::make(const SharedPlan& plan,
                                                       std::uint32_t client) {
  CAUCUS_TRY(auto maps, FeatureMaps::make(plan.spaces, {plan.features, plan.experts}, plan.seed, 0,
                                          plan.held));
  return std::unique_ptr<Participant>(
      new Participant(plan, Plan{std::move(maps), plan.loss}, client));
}

Participant::Participant(SharedPlan shared, Plan plan, std::uint32_t client)
    : shared_(std::move(shared)), plan_(std::move(plan)), client_(client) {}

Status Participant::check(const AssignmentRecord& assignment) const {
  const auto wrong = [&](const std::string& what) {
    return network_error("batch " + std::to_string(assignment.batch), what,
                         "expected models as the plan has them");
  };
  if (assignment.batch == 0 || assignment.held.empty()) return wrong("no models");
  for (const HeldModelRecord& held : assignment.held) {
    if (held.space >= plan_.maps.size()) return wrong("space " + std::to_string(held.space));
    if (held.weights.size() != plan_.maps.dimension(held.space)) {
      return wrong("a model of " + std::to_string(held.weights.size()) + " numbers");
    }
    if (!std::isfinite(held.share)) return wrong("a share that is not finite");
    for (const float w : held.weights) {
      if (!std::isfinite(w)) return wrong("a model that is not finite");
    }
  }
  return Done{};
}

Result<std::optional<ReportRecord>> Participant::assign(const AssignmentRecord& record) {
  CAUCUS_CHECK(check(record));
  auto models = std::make_shared<Models>();
  models->batch = record.batch;
  models->assignment.client = client_;
  for (const HeldModelRecord& held : record.held) models->weights.push_back(held.weights);
  for (std::size_t a = 0; a < record.held.size(); ++a) {
    models->assignment.held.push_back(
        {record.held[a].space, models->weights[a], record.held[a].share});
  }
  const std::lock_guard lock(mutex_);
  retained_.erase(retained_.begin(), retained_.upper_bound(record.durable));
  const auto before = retained_.find(record.batch);
  if (before != retained_.end()) return std::optional(before->second);
  models_ = std::move(models);
  answered_ = record.batch - 1;  // also where the server begins anew
  return std::optional<ReportRecord>();
}

std::unique_ptr<Forecast> Participant::take_forecast() {
  const std::lock_guard lock(mutex_);
  if (forecasts_.empty()) return std::make_unique<Forecast>(plan_.maps);
  auto forecast = std::move(forecasts_.back());
  forecasts_.pop_back();
  return forecast;
}

Result<Prediction> Participant::predict(std::span<const float> x) {
  if (x.size() != plan_.maps.example_size()) {
    return usage_error("predict", std::to_string(x.size()) + " numbers",
                       "expected " + std::to_string(plan_.maps.example_size()));
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
  auto forecast = take_forecast();
  predict_with_held(plan_, models->assignment, x, *forecast);
  Prediction prediction{0, forecast->output, models->batch};

  const std::lock_guard lock(mutex_);
  forecasts_.push_back(std::move(forecast));
  prediction.id = next_id_++;
  ++counts_.predictions;
  pending_.emplace(prediction.id,
                   Pending{std::move(models), {x.begin(), x.end()}, prediction.output});
  order_.push_back(prediction.id);
  while (order_.size() > kPending) {
    counts_.forgotten += pending_.erase(order_.front());
    order_.pop_front();
  }
  return prediction;
}

bool Participant::too_old(std::uint64_t sampled) const {
  return models_->batch > sampled + shared_.label_delay;
}

bool Participant::observe(std::uint64_t id, double y) {
  auto forecast = take_forecast();
  const std::lock_guard lock(mutex_);
  const auto found = pending_.find(id);
  if (found == pending_.end() || !std::isfinite(y)) {
    forecasts_.push_back(std::move(forecast));
    return false;
  }
  const Pending one = std::move(found->second);
  pending_.erase(found);
  while (!order_.empty() && !pending_.contains(order_.front())) order_.pop_front();
  const bool counts = !too_old(one.models->batch);
  if (counts) {
    auto [part, fresh] = parts_.try_emplace(one.models->batch);
    if (fresh) part->second.mean.begin(one.models->assignment);
    predict_with_held(plan_, one.models->assignment, one.x, *forecast);
    report_held(plan_, *forecast, y, part->second.mean);
    ++part->second.examples;
    played_.add(plan_.loss, one.output, y);
    ++counts_.observed;
  } else {
    ++counts_.forgotten;
  }
  forecasts_.push_back(std::move(forecast));
  return counts;
}

bool Participant::ready() const {
  const std::lock_guard lock(mutex_);
  return models_ != nullptr && answered_ < models_->batch &&
         played_.forecasts >= shared_.rounds_per_upload;
}

std::optional<ReportRecord> Participant::take_report(bool last) {
  const std::lock_guard lock(mutex_);
  if (models_ == nullptr || answered_ >= models_->batch) return std::nullopt;
  ReportRecord report{models_->batch, {}, played_, last};
  for (auto& [sampled, part] : parts_) {
    if (too_old(sampled)) {
      counts_.forgotten += part.examples;
      continue;
    }
    const Report& mean = part.mean.report();
    PartRecord& record = report.parts.emplace_back(PartRecord{sampled, mean.examples, {}});
    for (const HeldReport& held : mean.held) {
      record.held.push_back(
          {held.space, held.loss, {held.direction.begin(), held.direction.end()}});
    }
  }
  parts_.clear();
  played_ = {};
  answered_ = models_->batch;
  retained_[report.batch] = report;
  if (retained_.size() > kRetained) retained_.erase(retained_.begin());
  return report;
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
