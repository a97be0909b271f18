// What the server knows about one client.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "caucus/engine/participant/records.hpp"
#include "caucus/federation/sampled_models.hpp"

namespace caucus {

using Time = std::chrono::steady_clock::time_point;

/// The numbers of a client's messages by their result.
struct MemberCounters {
  std::uint64_t reports = 0;   ///< accepted reports
  std::uint64_t late = 0;      ///< reports for a batch that was closed
  std::uint64_t repeated = 0;  ///< reports for a batch that the client had reported on
  std::uint64_t early = 0;     ///< reports for a batch that is not open yet
  std::uint64_t rejected = 0;  ///< reports that no data could produce
  std::uint64_t joins = 0;
  std::uint64_t bytes_up = 0, bytes_down = 0;  ///< bytes on the wire
};

/// The part of a client that the status of a server shows.
struct Member {
  std::string name;
  bool joined = false;            ///< it has joined at least once, with its data
  bool finished = false;          ///< it has no more examples
  bool cut_off = false;           ///< too many of its reports were rejected
  bool acknowledged_end = false;  ///< it has acknowledged the End
  bool connected = false;         ///< it is connected and has its data
  bool answered = false;          ///< it has reported on its batch, or waits for its first one
  std::uint64_t examples = 0;     ///< examples that it announced; 0 if it did not know
  std::uint64_t clipped = 0;      ///< of these, with a value outside the ranges of the plan
  std::uint64_t counted = 0;      ///< predictions in accepted reports
  std::uint64_t changed_at = 0;   ///< `counted` when it last said that its data had changed
  std::uint64_t playing = 0;      ///< the batch whose models it was given last; 0 before the first
  std::uint64_t last_batch = 0;   ///< the batch of its last accepted report
  std::uint64_t closed_in = 0;    ///< the batch of this server process that closed with last_batch
  MemberCounters counters;
  Time last_seen{};

  /// Returns whether a batch waits for it.
  [[nodiscard]] bool active() const { return !finished && !cut_off; }
};

/// A client with what the server needs to check and store its reports.
struct TrackedMember : Member {
  /// The models it was given, those of the open batch last: labels may come late.
  std::deque<SampledSet> sampled;
  std::optional<ReportRecord> report;  ///< its accepted report on the open batch

  // These are not stored:
  std::string software;      ///< the client's name for its program
  std::string fault;         ///< why its last rejected report was rejected
  std::uint64_t cut_in = 0;  ///< the batch in which it was cut off, if by this process

  /// Returns the models of a batch, or null if the client was given none or they are forgotten.
  [[nodiscard]] const SampledSet* find_sampled(std::uint64_t batch) const {
    const auto found = std::find_if(sampled.begin(), sampled.end(),
                                    [&](const SampledSet& set) { return set.batch == batch; });
    return found == sampled.end() ? nullptr : &*found;
  }
};

}  // namespace caucus
