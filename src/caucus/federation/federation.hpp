// The server's side of a federation without any transport: which clients take part, which batch is
// open, which clients have reported, when the batch closes, and what was learned. It reads no clock
// and does no I/O: its owner calls it from one thread at a time, passes the time, sends what it
// assigns and stores what it closes.
//
//   waiting --all have joined--> batch 1 --all have reported--> batch 2 --> ... --> finished
//
// In asynchronous mode no client waits for another: the run starts with the first client, a batch
// of the server closes as soon as one client has reported, and only the clients that have reported
// get new models. Each client then counts its own batches.
//
// The durable state (docs/protocol.md) is a fold of the closed batches: restore() and replay()
// rebuild it bit for bit.
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
#include "caucus/engine/participant/records.hpp"
#include "caucus/engine/problem.hpp"
#include "caucus/engine/telemetry.hpp"
#include "caucus/federation/federation_settings.hpp"
#include "caucus/federation/member.hpp"
#include "caucus/federation/sampled_models.hpp"
#include "caucus/federation/store/store_rows.hpp"
#include "caucus/federation/validation.hpp"
#include "caucus/result.hpp"

namespace caucus {

/// The result of the checks of a report.
enum class Verdict { accepted, late, repeated, early, rejected };

/// The part of a closed batch that a store must keep.
struct ClosedBatch {
  std::uint64_t number = 0;
  std::vector<StoredReport> reports;  ///< the input of Federation::replay
};

/// What was learned up to a batch.
struct LearnedState {
  LearnedModel model;
  Telemetry telemetry;
};

class Federation {
 public:
  enum class Phase { waiting, running, finished };

  static Result<Federation> make(FederationSettings settings, RunId run);

  // --- clients ---
  /// Returns the index of a client, or nullopt if no client has this name.
  [[nodiscard]] std::optional<std::uint32_t> index_of(std::string_view name) const;
  /// Connects a client. After an error it must not connect again in the same way.
  Result<WelcomeRecord> join(const HelloRecord& hello, Time now);
  /// Notes that the client has its data: from now on batches wait for it.
  Status ready(std::uint32_t client, const ReadyRecord& ready, Time now);
  void disconnect(std::uint32_t client) { members_[client].connected = false; }
  /// Notes that the client has acknowledged the End. This is not part of the snapshot:
  /// acknowledged() returns one byte for each client.
  void acknowledge_end(std::uint32_t client) { members_[client].acknowledged_end = true; }
  [[nodiscard]] std::string acknowledged() const;
  Status restore_acknowledged(std::string_view bytes);
  /// Returns the clients that have not acknowledged the End and were not cut off.
  [[nodiscard]] std::vector<std::string> unacknowledged() const;

  // --- batches ---
  /// Returns whether the server learns from each report as it arrives.
  [[nodiscard]] bool asynchronous() const {
    return settings_.problem.mode == Mode::asynchronous && settings_.plan.statistics;
  }
  /// Returns whether enough clients have joined to open the first batch.
  [[nodiscard]] bool can_start(Time now) const;
  /// Opens the first batch.
  Status start(Time now);
  /// Returns whether the models of its batch must be sent to the client.
  [[nodiscard]] bool awaits(std::uint32_t client) const;
  /// Returns these models, which are valid until the next call of any function.
  const Assignment& assign(std::uint32_t client);
  /// Checks and keeps a report. Sets `why` if it rejects the report.
  Verdict receive(std::uint32_t client, ReportRecord report, Time now, std::string& why);
  /// Returns whether the open batch can be closed now.
  [[nodiscard]] bool closable(Time now) const;
  /// Returns when can_start() or closable() may change without another event.
  [[nodiscard]] std::optional<Time> alarm() const;
  /// Learns from the reports and opens the next batch, or finishes the run.
  ClosedBatch close(Time now);

  // --- durable state ---
  [[nodiscard]] std::string snapshot() const;
  Status restore(std::string_view bytes);
  /// Repeats a closed batch.
  Status replay(std::uint64_t number, std::span<const StoredReport> reports);

  /// Returns whether a store keeps what was learned up to a batch after a snapshot has replaced its
  /// reports: if its number has at most three binary digits before zeros, as 1 to 8, 10, 12, 14,
  /// 16, 20, 24 have. That is four batches until their number doubles.
  static bool keeps_learned(std::uint64_t batch);
  [[nodiscard]] LearnedState learned() const { return {server_->learned(), *telemetry_}; }
  [[nodiscard]] std::string learned_bytes() const;
  [[nodiscard]] Result<LearnedState> read_learned(std::string_view bytes) const;

  /// Restarts the deadline of the open batch, since its clients have to connect again first.
  void restart_deadline(Time now) { opened_ = now; }

  // --- state ---
  [[nodiscard]] Phase phase() const { return phase_; }
  [[nodiscard]] std::uint64_t batch() const { return batch_; }  ///< the open batch; 0 while waiting
  [[nodiscard]] const std::vector<TrackedMember>& members() const { return members_; }
  [[nodiscard]] MemberCounters& counters(std::uint32_t client) { return members_[client].counters; }
  [[nodiscard]] const FederationSettings& settings() const { return settings_; }
  [[nodiscard]] const RunId& run() const { return run_; }
  [[nodiscard]] const AnyServer* server() const { return server_.get(); }  ///< null while waiting
  [[nodiscard]] const Telemetry& telemetry() const { return *telemetry_; }
  [[nodiscard]] const CurveRecorder& curve() const { return curve_; }
  [[nodiscard]] RunLength length() const;

 private:
  Federation(FederationSettings settings, RunId run);

  [[nodiscard]] bool measures_all(const Telemetry& telemetry) const;
  [[nodiscard]] Status accept_shape(const std::string& who, const ReadyRecord& ready);
  [[nodiscard]] Status check_restored(StateReader& from, std::uint64_t features,
                                      std::uint64_t experts);
  /// Makes the algorithm for the clients that have joined.
  Status make_server();
  void open(Time now);
  /// Draws the models of a client's next batch.
  void give(std::uint32_t client);
  /// Returns the open batch, as the algorithm counts rounds.
  [[nodiscard]] Batch open_batch() const;
  [[nodiscard]] bool has_too_many(std::uint64_t examples) const;
  /// Learns from the reports of the open batch.
  void fold();
  /// Hands a client's reports to the server, with the batches and probabilities of their sampling.
  void accept(std::uint32_t client, const TrackedMember& member, ReportBatch& reports);
  [[nodiscard]] std::size_t count_joined() const;
  [[nodiscard]] std::size_t last_round() const;

  FederationSettings settings_;
  RunId run_;
  Phase phase_ = Phase::waiting;
  std::uint64_t batch_ = 0;
  Time opened_{};  ///< when the batch was opened or, while waiting, the quorum had joined
  std::vector<TrackedMember> members_;
  Assignment assignment_;   ///< the last one that was asked for
  UploadRule uploads_;      ///< known when the shape of the examples is
  RunLength started_with_;  ///< the length at the start: clients that join later change no rates
  std::unique_ptr<AnyServer> server_;
  std::unique_ptr<SampledModels> sampled_;
  std::unique_ptr<ReportRules> rules_;
  std::unique_ptr<Telemetry> telemetry_;
  CurveRecorder curve_;
};

class Store;

/// Rebuilds the federation after the last durable batch, or after an earlier one, from the snapshot
/// and the batches after it. The store must hold a run of these settings; if no client had joined,
/// the federation waits.
Result<Federation> recover_federation(FederationSettings settings, Store& store,
                                      std::uint64_t last = kMostBatches);

}  // namespace caucus
