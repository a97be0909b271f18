#include "caucus/federation/federation.hpp"

#include <algorithm>
#include <utility>

#include "caucus/core/features/validate_space.hpp"
#include "caucus/engine/participant/message_size.hpp"
#include "caucus/federation/store/member_bytes.hpp"

namespace caucus {

Federation::Federation(FederationSettings settings, RunId run)
    : settings_(std::move(settings)), run_(run) {
  if (settings_.quorum == 0) settings_.quorum = settings_.clients.size();
  for (const std::string& name : settings_.clients) members_.emplace_back().name = name;
  telemetry_ = std::make_unique<Telemetry>(settings_.plan.loss, members_.size());
  uploads_ = upload_rule(settings_.problem, settings_.plan.features, settings_.plan.statistics);
}

Result<Federation> Federation::make(FederationSettings settings, RunId run) {
  CAUCUS_CHECK(settings.validate());
  CAUCUS_CHECK(example_bounds(settings));
  return Federation(std::move(settings), run);
}

std::optional<std::uint32_t> Federation::index_of(std::string_view name) const {
  const auto found = std::find_if(members_.begin(), members_.end(),
                                  [&](const Member& member) { return member.name == name; });
  if (found == members_.end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - members_.begin());
}

Result<WelcomeRecord> Federation::join(const HelloRecord& hello, Time now) {
  const auto client = index_of(hello.client);
  const std::string who = "client '" + hello.client + "'";
  if (!client) {
    return usage_error(who, "is not a client of this run", "expected one that the server lists");
  }
  TrackedMember& member = members_[*client];
  if (member.cut_off) {
    return data_error(who, "was cut off because too many of its reports were rejected",
                      "expected it not to join this run again");
  }
  if (hello.run && *hello.run != run_) {
    return usage_error(who, "took part in another run", "expected a client that does not resume");
  }
  // The examples of the open batch will count too.
  const std::uint64_t position =
      member.counted + (member.report ? member.report->played.forecasts : 0);
  if (!hello.resume && !hello.run && position > 0) {
    return usage_error(who, "has " + std::to_string(position) + " examples in this run already",
                       "expected a client that resumes after them");
  }
  member.last_seen = now;
  constexpr std::size_t kLongest = 100;  // the longest name of software in the log
  member.software = hello.software.substr(0, kLongest);
  ++member.counters.joins;
  return WelcomeRecord{run_, *client, position, settings_.plan};
}

Status Federation::accept_shape(const std::string& who, const ReadyRecord& ready) {
  SharedPlan& plan = settings_.plan;
  if (plan.features == 0 && plan.experts == 0) {  // the first client determines them
    SharedPlan shaped = plan;
    shaped.features = ready.features;
    shaped.experts = ready.experts;
    for (const Space& space : shaped.spaces) {
      if (auto status = validate_space(space, {shaped.features, shaped.experts}); !status.ok()) {
        return data_error(who, status.error().where + ": " + status.error().what,
                          status.error().expected);
      }
    }
    if (ready.features + ready.experts == 0 ||
        frequency_bytes(shaped) > kMostFrequencyBytesOfAnyShape ||
        largest_report(shaped, settings_.problem.resolved_sample_size()) >
            kMostReportBytesOfAnyShape) {
      return data_error(who, "has examples of " + std::to_string(ready.features) + " numbers",
                        "expected at least 1, and so many only if the server's settings say so");
    }
    if (plan.statistics !=
        learns_from_sums("fomd-oms", settings_.problem, shaped.features, members_.size())) {
      return data_error(who, "has examples of " + std::to_string(ready.features) + " features",
                        "which sums do not serve; expected the server's settings to state the "
                        "number, by which it chooses its steps");
    }
    const UploadRule uploads = upload_rule(settings_.problem, shaped.features, plan.statistics);
    if (auto status = check_batch_length(uploads); !status.ok()) {
      return data_error(
          who, "has examples of " + std::to_string(ready.features) + " features",
          "for which rounds_per_upload would have to be at least " + std::to_string(uploads.least));
    }
    plan = std::move(shaped);
  }
  if (auto fault = shape_fault(plan, ready.features, ready.experts, who)) return *fault;
  return Done{};
}

/// Returns whether the number of batches would exceed 32 bits.
bool Federation::has_too_many(std::uint64_t examples) const {
  const std::size_t rounds = settings_.plan.rounds_per_upload;
  return rounds > 0 && examples / rounds >= kMostBatches;
}

Status Federation::ready(std::uint32_t client, const ReadyRecord& ready, Time now) {
  TrackedMember& member = members_[client];
  const std::string who = "client '" + member.name + "'";
  if (has_too_many(ready.examples)) {
    return data_error(who, "has " + std::to_string(ready.examples) + " examples",
                      "expected fewer than " + std::to_string(kMostBatches) + " batches of them");
  }
  if (settings_.problem.schedule.kind == ScheduleKind::theory && ready.examples == 0) {
    return data_error(who, "does not say how many examples it has",
                      "the theory's rates need it; expected a number, or another schedule");
  }
  const bool first = !member.joined;
  const bool started = phase_ != Phase::waiting;
  if (started && !first && member.examples > 0 && ready.examples > member.examples) {
    return data_error(who, "has " + std::to_string(ready.examples) + " examples",
                      "expected " + std::to_string(member.examples) + " as it announced first");
  }
  CAUCUS_CHECK(accept_shape(who, ready));  // last, since it can change the plan
  if (first || !started) member.examples = ready.examples;
  member.clipped = ready.clipped;
  member.joined = member.connected = true;
  member.last_seen = now;
  if (first && !started && count_joined() == settings_.quorum) opened_ = now;
  // It gets its first models when the open batch closes, which happens immediately.
  if (asynchronous() && started && member.playing == 0) member.answered = true;
  return Done{};
}

std::vector<std::string> Federation::unacknowledged() const {
  std::vector<std::string> names;
  for (const Member& member : members_) {
    if (!member.acknowledged_end && !member.cut_off) names.push_back(member.name);
  }
  return names;
}

std::size_t Federation::count_joined() const {
  return static_cast<std::size_t>(std::count_if(
      members_.begin(), members_.end(), [](const Member& member) { return member.joined; }));
}

// --- batches ---

bool Federation::can_start(Time now) const {
  if (phase_ != Phase::waiting) return false;
  const std::size_t joined = count_joined();
  if (joined == members_.size() || (asynchronous() && joined > 0)) return true;
  // The theory's rates may need more examples than the first clients have.
  return settings_.deadline && joined >= settings_.quorum && now >= opened_ + *settings_.deadline &&
         check_horizon(length(), settings_.problem).ok();
}

Status Federation::start(Time now) {
  uploads_ = upload_rule(settings_.problem, settings_.plan.features, settings_.plan.statistics);
  started_with_ = length();
  CAUCUS_CHECK(check_horizon(started_with_, settings_.problem));
  CAUCUS_CHECK(make_server());
  phase_ = Phase::running;
  for (TrackedMember& member : members_) member.answered = member.joined;
  open(now);
  return Done{};
}

RunLength Federation::length() const {
  std::vector<std::size_t> rounds;
  for (const Member& member : members_) rounds.push_back(member.examples);
  return run_length(rounds, uploads_);
}

Status Federation::make_server() {
  const SharedPlan& shared = settings_.plan;
  CAUCUS_TRY(auto made, make_plan(shared));
  const auto plan = std::make_shared<const Plan>(std::move(made));
  uploads_ = upload_rule(settings_.problem, shared.features, shared.statistics);
  CAUCUS_TRY(const auto constants, space_constants(settings_));
  CAUCUS_TRY(const auto algorithm,
             make_settings("fomd-oms", plan, constants, started_with_, settings_.problem, 0));
  CAUCUS_TRY(auto bounds, example_bounds(settings_));
  server_ = std::make_unique<AnyServer>(algorithm);
  sampled_ = std::make_unique<SampledModels>(*server_);
  rules_ = std::make_unique<ReportRules>(server_->plan(), std::move(bounds));
  return Done{};
}

Batch Federation::open_batch() const {
  const std::size_t first = asynchronous() ? 0 : uploads_.rounds_before(batch_);
  return {static_cast<std::uint32_t>(batch_), first, first + uploads_.length_after(first)};
}

void Federation::open(Time now) {
  const auto active = [](const Member& member) { return member.active(); };
  if (std::none_of(members_.begin(), members_.end(), active) || batch_ == kMostBatches) {
    phase_ = Phase::finished;
    curve_.finish(last_round(), telemetry_->loss, [&] { return server_->probabilities(); });
  } else {
    ++batch_;
    opened_ = now;
  }
  for (std::uint32_t client = 0; client < members_.size(); ++client) {
    TrackedMember& member = members_[client];
    const bool next = !asynchronous() || member.answered;
    if (next) {
      member.answered = false;
      member.report.reset();
    }
    if (!member.active() || phase_ == Phase::finished) {
      if (!member.active()) member.sampled.clear();  // it will not report again
    } else if (next) {
      give(client);
    }
  }
}

void Federation::give(std::uint32_t client) {
  TrackedMember& member = members_[client];
  Batch batch = open_batch();
  if (asynchronous()) {
    const auto first = static_cast<std::size_t>(member.counted);
    batch = {static_cast<std::uint32_t>(member.playing + 1), first,
             first + uploads_.length_after(first, static_cast<std::size_t>(member.changed_at))};
  }
  member.playing = batch.number;
  if (!member.sampled.empty()) {
    for (SampledModel& model : member.sampled.back().models) model.weights.reset();
  }
  member.sampled.push_back(sampled_->sample(batch, client, batch_));
  if (member.sampled.size() > settings_.plan.label_delay + 1) member.sampled.pop_front();
}

bool Federation::awaits(std::uint32_t client) const {
  const TrackedMember& member = members_[client];
  return phase_ == Phase::running && member.connected && member.active() && !member.answered &&
         member.playing > 0;
}

const Assignment& Federation::assign(std::uint32_t client) {
  const SampledSet& set = members_[client].sampled.back();
  assignment_.client = client;
  assignment_.examples = set.examples;
  assignment_.least_after_change = uploads_.least_after_change();
  assignment_.held.clear();
  for (const SampledModel& model : set.models) {
    assignment_.held.push_back({model.space, *model.weights, model.share});
  }
  return assignment_;
}

Verdict Federation::receive(std::uint32_t client, ReportRecord report, Time now, std::string& why) {
  TrackedMember& member = members_[client];
  member.last_seen = now;
  if (phase_ != Phase::running || report.batch < member.playing || !member.active()) {
    ++(report.batch <= member.last_batch ? member.counters.repeated : member.counters.late);
    return report.batch <= member.last_batch ? Verdict::repeated : Verdict::late;
  }
  if (report.batch > member.playing) {
    ++member.counters.early;
    return Verdict::early;
  }
  if (member.answered) {
    ++member.counters.repeated;
    return Verdict::repeated;
  }
  member.answered = true;  // even if the report is rejected: the others need not wait for it
  if (auto found = rules_->fault(member, report)) {
    why = std::move(*found);
    ++member.counters.rejected;
    member.fault = why;
    member.cut_off = member.counters.rejected >= settings_.violations;
    if (member.cut_off) member.cut_in = batch_;
    return Verdict::rejected;
  }
  ++member.counters.reports;
  member.report = std::move(report);
  return Verdict::accepted;
}

bool Federation::closable(Time now) const {
  if (phase_ != Phase::running) return false;
  if (asynchronous()) {
    return std::any_of(members_.begin(), members_.end(),
                       [](const Member& member) { return member.answered; });
  }
  std::size_t accepted = 0;  // a rejected report does not count
  std::size_t waited = 0;
  std::size_t there = 0;
  for (const TrackedMember& member : members_) {
    accepted += static_cast<std::size_t>(member.report.has_value());
    waited += static_cast<std::size_t>(member.active() && !member.answered);
    there += static_cast<std::size_t>(member.active() && member.joined);
  }
  if (waited == 0) return true;
  // Clients that have finished or never join cannot be waited for.
  const std::size_t enough = std::max<std::size_t>(1, std::min(settings_.quorum, there));
  return settings_.deadline && accepted >= enough && now >= opened_ + *settings_.deadline;
}

std::optional<Time> Federation::alarm() const {
  if (phase_ == Phase::finished || !settings_.deadline) return std::nullopt;
  if (phase_ == Phase::waiting && count_joined() < settings_.quorum) return std::nullopt;
  return opened_ + *settings_.deadline;
}

ClosedBatch Federation::close(Time now) {
  ClosedBatch closed{batch_, closed_batch(members_, asynchronous())};
  fold();
  open(now);
  return closed;
}

void Federation::fold() {
  for (std::uint32_t client = 0; client < members_.size(); ++client) {
    TrackedMember& member = members_[client];
    if (!member.report) continue;
    ReportRecord& report = *member.report;
    member.counted += report.played.forecasts;
    member.finished = report.last;
    member.last_batch = report.batch;
    member.closed_in = batch_;
    telemetry_->record(client, report.played);
    if (report.reports.empty()) continue;
    if (report.reports.has_change(report.reports.size() - 1)) member.changed_at = member.counted;
    HeldSize held;
    held.clients = 1;
    for (const SampledModel& model : member.sampled.back().models) {
      ++held.models;
      const Plan& plan = server_->plan();
      held.floats += plan.loss.outputs() * plan.maps.dimension(model.space);
    }
    const HeldSize sent = settings_.plan.statistics ? HeldSize(report.reports) : held;
    telemetry_->sent({&client, 1}, server_->upload_bits(sent), server_->download_bits(held));
    accept(client, member, report.reports);
  }
  telemetry_->end_batch();
  server_->close(open_batch());
  curve_.after_batch(last_round(), telemetry_->loss, [&] { return server_->probabilities(); });
}

void Federation::accept(std::uint32_t client, const TrackedMember& member, ReportBatch& reports) {
  std::fill(reports.clients.begin(), reports.clients.end(), client);
  for (std::size_t n = 0; n < reports.size(); ++n) {
    const SampledSet& given = *member.find_sampled(reports.sampled_in[n]);
    if (given.drawn_in == batch_) continue;  // p and the weights have not changed
    for (std::size_t a = 0; a < given.models.size(); ++a) {
      reports.mark_late(reports.begin_of(n) + a, given.models[a].probability);
    }
  }
  server_->accept(reports);
}

/// Returns the last round of the open batch, asynchronously the mean over the clients. The last
/// batch may be shorter than the others.
std::size_t Federation::last_round() const {
  if (asynchronous()) return telemetry_->forecasts / members_.size();
  const RunLength whole = length();
  return batch_ == whole.batches ? whole.rounds : uploads_.rounds_before(batch_ + 1);
}

}  // namespace caucus
