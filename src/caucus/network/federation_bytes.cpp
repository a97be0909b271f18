// What lasts of a federation: its state as bytes and back, and closed batches again.
#include <optional>
#include <string>
#include <string_view>

#include "caucus/core/state_io.hpp"
#include "caucus/network/federation.hpp"
#include "caucus/network/field_bytes.hpp"
#include "caucus/network/member_bytes.hpp"
#include "caucus/network/weights_bytes.hpp"

namespace caucus {

/// With the version of what follows, which any change of it must raise: stored_run_test.cpp sees
/// to that. 2 has the weights that late gradients were taken at; 3 has the length that the run was
/// begun with, and rows of batches that begin with their version (member_bytes.cpp).
constexpr std::string_view kSnapshotName = "caucus federation 3";

constexpr std::size_t RunLength::*kLengthFields[] = {&RunLength::clients, &RunLength::rounds,
                                                     &RunLength::batches, &RunLength::reports};

std::string Federation::snapshot() const {
  StateWriter writer;
  writer.text(kSnapshotName);
  writer.u64(batch_);
  writer.flag(phase_ == Phase::over);
  writer.u64(settings_.plan.features);
  writer.u64(settings_.plan.experts);
  for (const auto field : kLengthFields) writer.u64(begun_with_.*field);
  save_members(members_, writer);
  save_fields(*telemetry_, writer);
  save_fields(curve_, writer);
  learner_->save(writer);
  save_weights(members_, writer);
  return sealed(writer.take());
}

Status Federation::restore(std::string_view bytes) {
  CAUCUS_TRY(const std::string_view content, unsealed(bytes, "snapshot"));
  StateReader reader(content, "snapshot");
  const std::string_view name = reader.text();
  if (name != kSnapshotName) {
    constexpr std::size_t kWords = 40;  // for a line: it may be anything
    return reader.refuse(
        "is of another version: \"" + std::string(name.substr(0, kWords)) + "\"",
        "expected \"" + std::string(kSnapshotName) + "\", or the build that began the run");
  }
  batch_ = reader.u64();
  phase_ = reader.flag() ? Phase::over : Phase::running;
  settings_.plan.features = reader.u64();
  settings_.plan.experts = reader.u64();
  for (const auto field : kLengthFields) begun_with_.*field = reader.u64();
  CAUCUS_CHECK(restore_members(reader, members_));
  CAUCUS_CHECK(make_learner());
  CAUCUS_CHECK(restore_fields(reader, *telemetry_));
  CAUCUS_CHECK(restore_fields(reader, curve_));
  if (telemetry_->loss_of_client.size() != members_.size() ||
      telemetry_->forecasts_of_client.size() != members_.size()) {
    return reader.refuse("measures another number of clients");
  }
  CAUCUS_CHECK(learner_->restore(reader));
  CAUCUS_CHECK(restore_weights(reader, *learner_, members_));
  return reader.done();
}

Status Federation::replay(std::uint64_t number, std::span<const StoredReport> reports) {
  if (phase_ != Phase::running || number != batch_) {
    return data_error("batch " + std::to_string(number), "is not the next one",
                      "expected batch " + std::to_string(batch_));
  }
  CAUCUS_CHECK(restore_closed_batch(number, reports, members_));
  for (const Member& member : members_) {
    if (!member.report) continue;
    const auto found = member.report->batch == batch_ ? fault(member, *member.report)
                                                      : std::optional<std::string>("another batch");
    if (found) return data_error("batch " + std::to_string(number), member.name + ": " + *found);
  }
  fold();
  open(opened_);
  return Done{};
}

}  // namespace caucus
