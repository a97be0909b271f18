// The state of a federation as bytes and back, the replay of closed batches, and recovery from a
// store.
#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "caucus/core/base/state_io.hpp"
#include "caucus/federation/federation.hpp"
#include "caucus/federation/store/field_bytes.hpp"
#include "caucus/federation/store/member_bytes.hpp"
#include "caucus/federation/store/store.hpp"

namespace caucus {

/// The first bytes of a snapshot, with the version of its layout, which any change must raise
/// (stored_run_test.cpp checks that). Version 3 added the length with which the run began, and rows
/// of batches that begin with their version (member_bytes.cpp). Version 4 added the models of every
/// open batch and the losses that personal layers compare. Version 5 added the clipped examples,
/// version 6 the sums of the latest forecasts and of the targets, the errors behind error bars, and
/// changes of the data, version 7 the counts of classes and the sums of errors of every client.
constexpr std::string_view kSnapshotName = "caucus federation 7";

template <>
inline constexpr auto kFields<RunLength> = std::tuple(&RunLength::clients, &RunLength::rounds,
                                                      &RunLength::batches, &RunLength::reports);
template <>
inline constexpr auto kFields<ForecastSums> =
    std::tuple(&ForecastSums::examples, &ForecastSums::targets, &ForecastSums::squared_targets,
               &ForecastSums::loss, &ForecastSums::squared_error, &ForecastSums::compared,
               &ForecastSums::federated, &ForecastSums::federated_squares);
template <>
inline constexpr auto kFields<ErrorSums> = std::tuple(&ErrorSums::squared_error,
                                                      &ErrorSums::targets,
                                                      &ErrorSums::squared_targets,
                                                      &ErrorSums::log_loss, &ErrorSums::correct);
template <>
inline constexpr auto kFields<RecentForecasts> = std::tuple(&RecentForecasts::previous,
                                                            &RecentForecasts::latest,
                                                            &RecentForecasts::total,
                                                            &RecentForecasts::reported);

namespace {

constexpr double kMostProbability = 1.0 + 1e-6;  // 1 and rounding errors

/// Returns whether a member has the models that open() gives: those of the last batches, or none if
/// it no longer takes part.
bool is_as_given(const TrackedMember& member, std::uint64_t batch, bool asynchronous,
                 const FederationSettings& settings) {
  if (!member.active()) return member.sampled.empty();
  const std::size_t spaces = settings.plan.spaces.size();
  const std::uint64_t playing = member.playing;
  if (playing > batch || (!asynchronous && playing != batch) ||
      member.sampled.size() != std::min<std::uint64_t>(playing, settings.plan.label_delay + 1)) {
    return false;
  }
  std::uint64_t expected = playing - member.sampled.size();
  for (const SampledSet& set : member.sampled) {
    if (set.batch != ++expected || set.drawn_in < set.batch || set.drawn_in > batch ||
        set.models.size() != held_models(settings.plan.spaces, settings.plan.loss,
                                         settings.problem.sample_size, settings.plan.statistics))
      return false;
    std::vector<bool> given(spaces, false);
    for (const SampledModel& model : set.models) {
      if (model.space >= spaces || given[model.space]) return false;
      given[model.space] = true;
      const bool possible = model.probability >= 0.0 && model.probability <= kMostProbability;
      const bool is_share = model.share >= 0.0 && model.share <= kMostProbability;
      if (!possible || !is_share || !is_amount(model.norm)) return false;
    }
  }
  return true;
}

bool is_curve(const RecordedCurve& curve, std::size_t spaces) {
  const auto of_all = [&](const auto& p) { return p.size() == spaces; };
  return curve.loss.size() == curve.rounds.size() &&
         curve.probabilities.size() == curve.rounds.size() &&
         std::all_of(curve.probabilities.begin(), curve.probabilities.end(), of_all);
}

Status restore_from(Federation& federation, Store& store, std::uint64_t last) {
  CAUCUS_TRY(const auto snapshot, store.latest_snapshot());
  if (!snapshot && store.started()) {
    return data_error(store.path(), "has reports without the snapshot before them",
                      "expected a run from its beginning; restore the store from a copy");
  }
  if (!snapshot) return Done{};
  CAUCUS_CHECK(federation.restore(snapshot->bytes));
  CAUCUS_CHECK(store.replay(snapshot->batch, [&](std::uint64_t batch, auto reports) {
    return batch <= last ? federation.replay(batch, reports) : Status(Done{});
  }));
  CAUCUS_TRY(const auto acknowledged, store.acknowledged());
  return acknowledged ? federation.restore_acknowledged(*acknowledged) : Status(Done{});
}

}  // namespace

std::string Federation::snapshot() const {
  StateWriter writer;
  writer.text(kSnapshotName);
  writer.u64(batch_);
  writer.flag(phase_ == Phase::finished);
  writer.u64(settings_.plan.features);
  writer.u64(settings_.plan.experts);
  save_field(started_with_, writer);
  save_members(members_, writer);
  save_field(*telemetry_, writer);
  save_field(curve_, writer);
  server_->save(writer);
  save_weights(members_, writer);
  return sealed(writer.take());
}

Status Federation::restore(std::string_view bytes) {
  CAUCUS_TRY(const std::string_view content, unsealed(bytes, "snapshot"));
  StateReader reader(content, "snapshot");
  const std::string_view name = reader.text();
  if (name != kSnapshotName) {
    constexpr std::size_t kShown = 40;  // the most bytes that the error shows: they may be anything
    return reader.refuse(
        "is of another version: \"" + std::string(name.substr(0, kShown)) + "\"",
        "expected \"" + std::string(kSnapshotName) + "\", or the build that began the run");
  }
  batch_ = reader.u64();
  phase_ = reader.flag() ? Phase::finished : Phase::running;
  const std::uint64_t features = reader.u64();
  const std::uint64_t experts = reader.u64();
  read_field(reader, started_with_);
  CAUCUS_CHECK(restore_members(reader, members_));
  CAUCUS_CHECK(check_restored(reader, features, experts));
  CAUCUS_CHECK(make_server());
  read_field(reader, *telemetry_);
  read_field(reader, curve_);
  CAUCUS_CHECK(reader.status());
  if (!measures_all(*telemetry_)) return reader.refuse("measures another number of clients");
  if (!is_curve(curve_.curve, settings_.plan.spaces.size())) {
    return reader.refuse("a curve of another shape");
  }
  CAUCUS_CHECK(server_->restore(reader));
  CAUCUS_CHECK(restore_weights(reader, server_->plan(), members_));
  return reader.done();
}

bool Federation::measures_all(const Telemetry& telemetry) const {
  const std::size_t clients = members_.size();
  return telemetry.loss_of_client.size() == clients &&
         telemetry.forecasts_of_client.size() == clients &&
         telemetry.uploads_of_client.size() == clients &&
         telemetry.personal_of_client.size() == clients &&
         telemetry.recent_of_client.size() == clients &&
         telemetry.errors_of_client.size() == clients;
}

bool Federation::keeps_learned(std::uint64_t batch) {
  const int zeros = std::max(0, static_cast<int>(std::bit_width(batch)) - 3);
  return batch > 0 && std::countr_zero(batch) >= zeros;
}

std::string Federation::learned_bytes() const {
  StateWriter writer;
  writer.text(kSnapshotName);
  const LearnedModel model = server_->learned();
  writer.numbers(model.probabilities);
  for (const auto& weights : model.weights) writer.numbers(weights);
  save_field(*telemetry_, writer);
  return sealed(writer.take());
}

Result<LearnedState> Federation::read_learned(std::string_view bytes) const {
  CAUCUS_TRY(const std::string_view content, unsealed(bytes, "model"));
  StateReader reader(content, "model");
  reader.expect(kSnapshotName);
  LearnedState learned = this->learned();
  reader.numbers(learned.model.probabilities);
  for (auto& weights : learned.model.weights) reader.numbers(weights);
  read_field(reader, learned.telemetry);
  CAUCUS_CHECK(reader.done());
  if (!measures_all(learned.telemetry)) {
    CAUCUS_CHECK(reader.refuse("measures another number of clients"));
  }
  return learned;
}

/// Checks the shape before it is used, since its size could exceed any memory.
Status Federation::check_restored(StateReader& from, std::uint64_t features,
                                  std::uint64_t experts) {
  constexpr std::uint64_t kMost = 0xFFFFFFFF;  // the largest number that a client can send
  if (batch_ == 0 || batch_ > kMostBatches) return from.refuse("batch " + std::to_string(batch_));
  if (features > kMost || experts > kMost) return from.refuse("examples of another shape");
  for (const TrackedMember& member : members_) {
    if (has_too_many(member.examples)) {
      return from.refuse(std::to_string(member.examples) + " examples of a client");
    }
    if (member.changed_at > member.counted) return from.refuse("a change that is to come");
    if (!is_as_given(member, batch_, asynchronous(), settings_)) {
      return from.refuse("other models than '" + member.name + "' can have been given");
    }
  }
  if (started_with_.clients != members_.size() || started_with_.batches > kMostBatches) {
    return from.refuse("a run of another length");
  }
  return accept_shape("snapshot", {0, features, experts});
}

Status Federation::replay(std::uint64_t number, std::span<const StoredReport> reports) {
  if (phase_ != Phase::running || number != batch_) {
    return data_error("batch " + std::to_string(number), "is not the next one",
                      "expected batch " + std::to_string(batch_));
  }
  CAUCUS_CHECK(restore_closed_batch(number, reports, asynchronous(), members_));
  for (const TrackedMember& member : members_) {
    if (has_too_many(member.examples)) {
      return data_error("batch " + std::to_string(number),
                        std::to_string(member.examples) + " examples of a client");
    }
    if (!member.report) continue;
    const auto found = member.report->batch == member.playing
                           ? rules_->fault(member, *member.report)
                           : std::optional<std::string>("another batch");
    if (found) return data_error("batch " + std::to_string(number), member.name + ": " + *found);
  }
  fold();
  open(opened_);
  return Done{};
}

std::string Federation::acknowledged() const {
  std::string bytes;
  for (const Member& member : members_) bytes += member.acknowledged_end ? '1' : '0';
  return bytes;
}

Status Federation::restore_acknowledged(std::string_view bytes) {
  if (bytes.size() != members_.size()) {
    return data_error("the record of acknowledgements", "belongs to other clients");
  }
  for (std::size_t j = 0; j < members_.size(); ++j) {
    members_[j].acknowledged_end = bytes[j] == '1';
  }
  return Done{};
}

Result<Federation> recover_federation(FederationSettings settings, Store& store,
                                      std::uint64_t last) {
  CAUCUS_TRY(Federation federation, Federation::make(std::move(settings), store.run()->identity));
  if (Status status = restore_from(federation, store, last); !status.ok()) {
    Error& error = status.error();
    if (error.where != store.path()) error.where = store.path() + ": " + error.where;
    return std::move(error);
  }
  return federation;
}

}  // namespace caucus
