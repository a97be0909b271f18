#include "caucus/federation/store/member_bytes.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "caucus/federation/store/field_bytes.hpp"

namespace caucus {

template <>
inline constexpr auto kFields<MemberCounters> =
    std::tuple(&MemberCounters::reports, &MemberCounters::late, &MemberCounters::repeated,
               &MemberCounters::early, &MemberCounters::rejected, &MemberCounters::joins,
               &MemberCounters::bytes_up, &MemberCounters::bytes_down);
template <>
inline constexpr auto kFields<SampledModel> = std::tuple(&SampledModel::space,
                                                         &SampledModel::probability,
                                                         &SampledModel::norm, &SampledModel::share);
template <>
inline constexpr auto kFields<SampledSet> = std::tuple(&SampledSet::batch, &SampledSet::drawn_in,
                                                       &SampledSet::examples, &SampledSet::models);
template <>
inline constexpr auto kFields<PlayedSums> =
    std::tuple(&PlayedSums::forecasts, &PlayedSums::correct, &PlayedSums::loss,
               &PlayedSums::squared_error, &PlayedSums::targets, &PlayedSums::squared_targets,
               &PlayedSums::log_loss, &PlayedSums::personal, &PlayedSums::of_class);
template <>
inline constexpr auto kFields<PersonalRecord> = std::tuple(
    &PersonalRecord::examples, &PersonalRecord::given, &PersonalRecord::federated,
    &PersonalRecord::alone, &PersonalRecord::persistence, &PersonalRecord::federated_squares);
template <>
inline constexpr auto kFields<ReportRecord> = std::tuple(&ReportRecord::batch, &ReportRecord::last,
                                                         &ReportRecord::played,
                                                         &ReportRecord::reports);

namespace {

/// The first byte of a row of a closed batch; any change of what follows must raise it. Rows that
/// builds before version 3 wrote begin with a flag, which is 0 or 1.
constexpr std::uint8_t kRowVersion = 7;

constexpr auto kSnapshotFields =
    std::tuple(&TrackedMember::joined, &TrackedMember::finished, &TrackedMember::cut_off,
               &TrackedMember::examples, &TrackedMember::clipped, &TrackedMember::counted,
               &TrackedMember::changed_at, &TrackedMember::playing, &TrackedMember::last_batch,
               &TrackedMember::counters, &TrackedMember::sampled);
constexpr auto kRowFields =
    std::tuple(&TrackedMember::joined, &TrackedMember::examples, &TrackedMember::cut_off,
               &TrackedMember::counters, &TrackedMember::clipped);

/// The weights by the batch in which they were drawn and by space, in the order of their bytes.
using WeightsOfBatches = std::map<std::pair<std::uint64_t, std::uint32_t>, SharedWeights>;

/// Calls work(drawn_in, model) for the models of the members' open batches.
template <class Members, class Work>
void each_open_model(Members& members, Work&& work) {
  for (auto& member : members) {
    if (member.sampled.empty()) continue;
    auto& set = member.sampled.back();
    for (auto& model : set.models) work(set.drawn_in, model);
  }
}

}  // namespace

static void save_field(const ReportBatch& reports, StateWriter& into) {
  into.u64(reports.size());
  for (std::size_t n = 0; n < reports.size(); ++n) {
    into.u64(reports.sampled_in[n]);
    into.u32(reports.examples[n]);
    into.flag(reports.has_change(n));
    into.u64(reports.ends[n] - reports.begin_of(n));
    for (std::size_t m = reports.begin_of(n); m < reports.ends[n]; ++m) {
      into.u32(reports.spaces[m]);
      into.number(reports.losses[m]);
      into.numbers(reports.direction(m));
    }
  }
}

static void read_field(StateReader& from, ReportBatch& reports) {
  const std::uint64_t count = from.u64();
  for (std::uint64_t n = 0; n < count && from.ok(); ++n) {
    reports.sampled_in.push_back(from.u64());
    reports.add_report(0, from.u32());
    if (from.flag()) reports.mark_change();
    const std::uint64_t models = from.u64();
    for (std::uint64_t m = 0; m < models && from.ok(); ++m) {
      const std::uint32_t space = from.u32();
      const auto loss = from.number<float>();
      const auto gradient = from.numbers<float>();
      const auto copy = reports.add_model(space, loss, gradient.size());
      std::copy(gradient.begin(), gradient.end(), copy.begin());
    }
  }
}

void save_members(const std::vector<TrackedMember>& members, StateWriter& into) {
  into.u64(members.size());
  for (const TrackedMember& member : members) {
    into.text(member.name);
    save_fields(member, kSnapshotFields, into);
  }
}

Status restore_members(StateReader& from, std::vector<TrackedMember>& members) {
  if (from.u64() != members.size()) return from.refuse("has another number of clients");
  for (TrackedMember& member : members) {
    from.expect(member.name);
    read_fields(from, kSnapshotFields, member);
  }
  return from.status();
}

std::vector<StoredReport> closed_batch(const std::vector<TrackedMember>& members,
                                       bool asynchronous) {
  std::vector<StoredReport> stored;
  for (std::uint32_t client = 0; client < members.size(); ++client) {
    const TrackedMember& member = members[client];
    if (asynchronous && !member.answered) continue;
    StateWriter writer;
    writer.u8(kRowVersion);
    save_fields(member, kRowFields, writer);
    writer.flag(member.report.has_value());
    if (member.report) save_field(*member.report, writer);
    stored.push_back({client, writer.take()});
  }
  return stored;
}

Status restore_closed_batch(std::uint64_t number, std::span<const StoredReport> stored,
                            bool asynchronous, std::vector<TrackedMember>& members) {
  const std::string where = "batch " + std::to_string(number);
  if (!asynchronous && stored.size() != members.size()) {
    return data_error(where, "has another number of clients");
  }
  std::uint32_t next = 0;
  for (const StoredReport& row : stored) {
    StateReader reader(row.bytes, where);
    const std::uint8_t version = reader.u8();
    if (version != kRowVersion) {
      return reader.refuse(
          "is of another version: " + std::to_string(version),
          "expected " + std::to_string(kRowVersion) + ", or the build that began the run");
    }
    if (row.client < next || row.client >= members.size()) {
      return reader.refuse("clients in another order");
    }
    next = row.client + 1;
    TrackedMember& member = members[row.client];
    const bool had_joined = member.joined;
    const bool was_cut_off = member.cut_off;
    read_fields(reader, kRowFields, member);
    member.answered = true;
    member.report.reset();
    if (reader.flag()) read_field(reader, member.report.emplace());
    CAUCUS_CHECK(reader.done());
    if ((had_joined && !member.joined) || (was_cut_off && !member.cut_off)) {
      return reader.refuse("a client that had joined or was cut off, and now is not");
    }
    if (member.report && !member.active()) {
      return reader.refuse("a report of a client that no longer takes part");
    }
  }
  return Done{};
}

void save_weights(const std::vector<TrackedMember>& members, StateWriter& into) {
  WeightsOfBatches all;
  each_open_model(members, [&](std::uint64_t drawn_in, const SampledModel& model) {
    if (model.weights) all.emplace(std::pair(drawn_in, model.space), model.weights);
  });
  into.u64(all.size());
  for (const auto& [place, weights] : all) into.numbers(*weights);
}

Status restore_weights(StateReader& from, const Plan& plan, std::vector<TrackedMember>& members) {
  WeightsOfBatches all;
  each_open_model(members, [&](std::uint64_t drawn_in, const SampledModel& model) {
    all.emplace(std::pair(drawn_in, model.space), nullptr);
  });
  if (from.u64() != all.size()) return from.refuse("has the weights of other models");
  for (auto& [place, weights] : all) {
    std::vector<float> read(plan.loss.outputs() * plan.maps.dimension(place.second));
    from.numbers(read);
    if (!all_finite(read)) return from.refuse("weights that are not finite");
    weights = std::make_shared<const std::vector<float>>(std::move(read));
  }
  CAUCUS_CHECK(from.status());
  each_open_model(members, [&](std::uint64_t drawn_in, SampledModel& model) {
    model.weights = all.at(std::pair(drawn_in, model.space));
  });
  return Done{};
}

}  // namespace caucus
