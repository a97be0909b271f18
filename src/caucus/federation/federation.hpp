// The server's side of a federation without any transport: who takes part, which batch is open, who
// has reported, when the batch closes, and what was learned. It reads no clock and does no I/O: its
// owner calls it from one thread at a time, tells it the time, sends what it assigns and stores
// what it closes.
//
//   waiting --all have joined--> batch 1 open --all have reported--> batch 2 open --> ... --> over
//
// What lasts beyond the process (docs/protocol.md) is a fold of the closed batches: restore() and
// replay() bring it back bit for bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "caucus/engine/any_server.hpp"
#include "caucus/engine/curve_recorder.hpp"
#include "caucus/engine/problem.hpp"
#include "caucus/engine/telemetry.hpp"
#include "caucus/federation/federation_settings.hpp"
#include "caucus/federation/member.hpp"
#include "caucus/federation/records.hpp"
#include "caucus/federation/sampled_models.hpp"
#include "caucus/federation/store/store_rows.hpp"
#include "caucus/federation/validation.hpp"
#include "caucus/result.hpp"

namespace caucus {

/// What became of a report.
enum class Verdict { accepted, late, repeated, strange, rejected };

/// What a store must keep of a closed batch.
struct ClosedBatch {
  std::uint64_t number = 0;
  std::vector<StoredReport> reports;  ///< for Federation::replay
};

class Federation {
 public:
  enum class Phase { waiting, running, over };

  static Result<Federation> make(FederationSettings settings, RunId run);

  // --- who takes part ---
  /// The index of a name, if it is one of those who take part.
  [[nodiscard]] std::optional<std::uint32_t> index_of(std::string_view name) const;
  /// A client is there. An error is for the client: it must not come again so.
  Result<WelcomeRecord> join(const HelloRecord& hello, Time now);
  /// It has its data: from now on batches wait for it.
  Status ready(std::uint32_t client, const ReadyRecord& ready, Time now);
  void leave(std::uint32_t client) { members_[client].connected = false; }
  /// The client acknowledges that it has nothing more to do. This is not part of the snapshot:
  /// acknowledged() has one byte for each client.
  void acknowledge_end(std::uint32_t client) { members_[client].acknowledged_end = true; }
  [[nodiscard]] std::string acknowledged() const;
  Status restore_acknowledged(std::string_view bytes);
  /// The clients that have not acknowledged the end and were not cut off.
  [[nodiscard]] std::vector<std::string> unacknowledged() const;

  // --- batches ---
  /// Whether those have joined whom the first batch waits for.
  [[nodiscard]] bool can_begin(Time now) const;
  /// Opens the first batch.
  Status begin(Time now);
  /// Whether the client is to be sent the models of the open batch.
  [[nodiscard]] bool awaits(std::uint32_t client) const;
  /// Those; they last until the next call of anything.
  const Assignment& assign(std::uint32_t client) { return server_->assign(batch_, client); }
  /// `why` tells of a report that is rejected.
  Verdict receive(std::uint32_t client, ReportRecord report, Time now, std::string& why);
  /// Whether the open batch is to be closed now.
  [[nodiscard]] bool closable(Time now) const;
  /// When to ask again, if nothing happens before.
  [[nodiscard]] std::optional<Time> alarm() const;
  /// Folds the reports in and opens the next batch, or ends the run.
  ClosedBatch close(Time now);

  // --- what lasts ---
  [[nodiscard]] std::string snapshot() const;
  Status restore(std::string_view bytes);
  /// A closed batch again, as it was.
  Status replay(std::uint64_t number, std::span<const StoredReport> reports);

  /// The open batch's deadline counts from now: its clients have to come again first.
  void wake(Time now) { opened_ = now; }

  // --- what is to be seen ---
  [[nodiscard]] Phase phase() const { return phase_; }
  [[nodiscard]] std::uint64_t batch() const { return batch_; }  ///< the open one; 0 while waiting
  [[nodiscard]] const std::vector<Member>& members() const { return members_; }
  [[nodiscard]] MemberCounters& counters(std::uint32_t client) { return members_[client].counters; }
  [[nodiscard]] const FederationSettings& settings() const { return settings_; }
  [[nodiscard]] const RunId& run() const { return run_; }
  [[nodiscard]] const AnyServer* server() const { return server_.get(); }  ///< null while waiting
  [[nodiscard]] const Telemetry& telemetry() const { return *telemetry_; }
  [[nodiscard]] const CurveRecorder& curve() const { return curve_; }
  [[nodiscard]] RunLength length() const;

 private:
  Federation(FederationSettings settings, RunId run);

  [[nodiscard]] Status accept_shape(const std::string& who, const ReadyRecord& ready);
  [[nodiscard]] Status check_restored(StateReader& from, std::uint64_t features,
                                      std::uint64_t experts);
  /// The algorithm for those who have joined.
  Status make_server();
  void open(Time now);
  [[nodiscard]] std::optional<std::string> fault(const Member& member, const ReportRecord& report);
  [[nodiscard]] const SampledSet* find_sampled(const Member& member, std::uint64_t batch) const;
  /// Learns from the reports of the open batch.
  void fold();
  /// Hands a client's reports to the server, with what was sampled when.
  void accept(std::uint32_t client, const Member& member, ReportBatch& reports);
  [[nodiscard]] std::size_t count(bool Member::*what) const;
  [[nodiscard]] std::size_t active() const;
  [[nodiscard]] std::size_t last_round() const;

  FederationSettings settings_;
  RunId run_;
  Phase phase_ = Phase::waiting;
  std::uint64_t batch_ = 0;
  Time opened_{};  ///< the batch; while waiting: when the quorum had joined
  std::vector<Member> members_;
  RunLength begun_with_;  ///< as it was known then: clients who came later change no rates
  std::unique_ptr<AnyServer> server_;
  std::unique_ptr<SampledModels> sampled_;
  std::unique_ptr<ReportRules> rules_;
  std::unique_ptr<Telemetry> telemetry_;
  CurveRecorder curve_;
};

}  // namespace caucus
