// One client as the server knows it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "caucus/federation/records.hpp"
#include "caucus/federation/sampled_models.hpp"

namespace caucus {

using Time = std::chrono::steady_clock::time_point;

/// What became of a client's messages.
struct MemberCounters {
  std::uint64_t reports = 0;   ///< accepted
  std::uint64_t late = 0;      ///< for a batch that was closed
  std::uint64_t repeated = 0;  ///< for a batch that the client had answered
  std::uint64_t strange = 0;   ///< for a batch that is not open yet
  std::uint64_t rejected = 0;  ///< cannot be true
  std::uint64_t joins = 0;
  std::uint64_t bytes_up = 0, bytes_down = 0;  ///< as they travelled

  /// field(number) for each, in an order that never changes: they are stored so.
  template <class Counters, class Field>
  static void each(Counters& counters, Field&& field) {
    field(counters.reports);
    field(counters.late);
    field(counters.repeated);
    field(counters.strange);
    field(counters.rejected);
    field(counters.joins);
    field(counters.bytes_up);
    field(counters.bytes_down);
  }
};

struct Member {
  std::string name;
  bool joined = false;            ///< at least once, with its data
  bool finished = false;          ///< it has no more examples
  bool cut_off = false;           ///< it sent too much that cannot be true
  bool acknowledged_end = false;  ///< it knows that it has nothing more to do
  std::uint64_t examples = 0;     ///< that it has; 0: it cannot know
  std::uint64_t counted = 0;      ///< forecasts in accepted reports
  std::uint64_t last_batch = 0;   ///< of its last accepted report
  MemberCounters counters;
  /// What it was given, the open batch last: labels may come late.
  std::deque<SampledSet> sampled;

  // Of this process, not of the run:
  bool connected = false;  ///< and has its data
  Time last_seen{};
  std::string software;      ///< as it says
  std::string fault;         ///< of the last report that was rejected
  std::uint64_t cut_in = 0;  ///< the batch in which it was cut off, if by this process

  // Of the open batch:
  bool answered = false;
  std::optional<ReportRecord> report;  ///< if it was accepted

  /// Whether a batch waits for it.
  [[nodiscard]] bool active() const { return !finished && !cut_off; }
};

}  // namespace caucus
