#include "caucus/federation/store/member_bytes.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace caucus {
namespace {

/// Of a row of a closed batch, its first byte; any change of what follows must raise it. Rows that
/// builds before version 3 wrote begin with a flag, which is 0 or 1.
constexpr std::uint8_t kRowVersion = 3;

void save_counters(const MemberCounters& counters, StateWriter& into) {
  MemberCounters::each(counters, [&](std::uint64_t value) { into.u64(value); });
}

void read_counters(StateReader& from, MemberCounters& counters) {
  MemberCounters::each(counters, [&](std::uint64_t& value) { value = from.u64(); });
}

/// work() so many times, but not after a failure: a count that was read may be anything.
template <class Work>
void repeat(StateReader& from, std::uint64_t count, Work&& work) {
  for (std::uint64_t n = 0; n < count && from.ok(); ++n) work();
}

void save_sampled(const SampledSet& set, StateWriter& into) {
  into.u64(set.batch);
  into.u64(set.models.size());
  for (const SampledModel& model : set.models) {
    into.u32(model.space);
    into.real(model.probability);
    into.real(model.norm);
  }
}

SampledSet read_sampled(StateReader& from) {
  SampledSet set{from.u64(), {}};
  repeat(from, from.u64(), [&] {
    const std::uint32_t space = from.u32();
    const double probability = from.real();
    set.models.push_back({space, probability, from.real(), {}});
  });
  return set;
}

}  // namespace

void save_report(const ReportRecord& report, StateWriter& into) {
  into.u64(report.batch);
  into.flag(report.last);
  into.u32(report.played.forecasts);
  into.u32(report.played.correct);
  into.real(report.played.loss);
  into.real(report.played.squared_error);
  into.real(report.played.squared_targets);
  into.real(report.played.log_loss);
  const ReportBatch& reports = report.reports;
  into.u64(reports.size());
  for (std::size_t n = 0; n < reports.size(); ++n) {
    into.u64(reports.sampled_in[n]);
    into.u32(reports.examples[n]);
    into.u64(reports.ends[n] - reports.begin_of(n));
    for (std::size_t m = reports.begin_of(n); m < reports.ends[n]; ++m) {
      into.u32(reports.spaces[m]);
      into.number(reports.losses[m]);
      into.numbers(reports.direction(m));
    }
  }
}

ReportRecord read_report(StateReader& from) {
  ReportRecord report;
  report.batch = from.u64();
  report.last = from.flag();
  report.played.forecasts = from.u32();
  report.played.correct = from.u32();
  report.played.loss = from.real();
  report.played.squared_error = from.real();
  report.played.squared_targets = from.real();
  report.played.log_loss = from.real();
  ReportBatch& reports = report.reports;
  repeat(from, from.u64(), [&] {
    reports.sampled_in.push_back(from.u64());
    reports.add_report(0, from.u32());
    repeat(from, from.u64(), [&] {
      const std::uint32_t space = from.u32();
      const auto loss = from.number<float>();
      const auto gradient = from.numbers<float>();
      const auto copy = reports.add_model(space, loss, gradient.size());
      std::copy(gradient.begin(), gradient.end(), copy.begin());
    });
  });
  return report;
}

void save_members(const std::vector<Member>& members, StateWriter& into) {
  into.u64(members.size());
  for (const Member& member : members) {
    into.text(member.name);
    into.flag(member.joined);
    into.flag(member.finished);
    into.flag(member.cut_off);
    into.u64(member.examples);
    into.u64(member.counted);
    into.u64(member.last_batch);
    save_counters(member.counters, into);
    into.u64(member.sampled.size());
    for (const SampledSet& set : member.sampled) save_sampled(set, into);
  }
}

Status restore_members(StateReader& from, std::vector<Member>& members) {
  if (from.u64() != members.size()) return from.refuse("has another number of clients");
  for (Member& member : members) {
    from.expect(member.name);
    member.joined = from.flag();
    member.finished = from.flag();
    member.cut_off = from.flag();
    member.examples = from.u64();
    member.counted = from.u64();
    member.last_batch = from.u64();
    read_counters(from, member.counters);
    member.sampled.clear();
    repeat(from, from.u64(), [&] { member.sampled.push_back(read_sampled(from)); });
  }
  return from.status();
}

std::vector<StoredReport> closed_batch(const std::vector<Member>& members) {
  std::vector<StoredReport> stored;
  for (const Member& member : members) {
    StateWriter writer;
    writer.u8(kRowVersion);
    writer.flag(member.joined);
    writer.u64(member.examples);
    writer.flag(member.cut_off);
    save_counters(member.counters, writer);
    writer.flag(member.report.has_value());
    if (member.report) save_report(*member.report, writer);
    stored.push_back({static_cast<std::uint32_t>(stored.size()), writer.take()});
  }
  return stored;
}

Status restore_closed_batch(std::uint64_t number, std::span<const StoredReport> stored,
                            std::vector<Member>& members) {
  const std::string where = "batch " + std::to_string(number);
  if (stored.size() != members.size()) {
    return data_error(where, "has another number of clients");
  }
  for (std::size_t client = 0; client < members.size(); ++client) {
    StateReader reader(stored[client].bytes, where);
    const std::uint8_t version = reader.u8();
    if (version != kRowVersion) {
      return reader.refuse(
          "is of another version: " + std::to_string(version),
          "expected " + std::to_string(kRowVersion) + ", or the build that began the run");
    }
    if (stored[client].client != client) return reader.refuse("clients in another order");
    Member& member = members[client];
    const bool had_joined = member.joined;
    const bool was_cut_off = member.cut_off;
    member.joined = reader.flag();
    member.examples = reader.u64();
    member.cut_off = reader.flag();
    read_counters(reader, member.counters);
    member.report.reset();
    if (reader.flag()) member.report = read_report(reader);
    CAUCUS_CHECK(reader.done());
    if ((had_joined && !member.joined) || (was_cut_off && !member.cut_off)) {
      return reader.refuse("a client that has not done what it had done before");
    }
    if (member.report && !member.active()) {
      return reader.refuse("a report of a client that takes part no more");
    }
  }
  return Done{};
}

}  // namespace caucus
