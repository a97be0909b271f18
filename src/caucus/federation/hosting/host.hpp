// A federation that is being served. One thread owns the federation: all others post events
// to its queue and return at once. A second thread commits closed batches to the store (before
// clients receive the next batch, unless batches are made durable in groups). The host answers
// through a ClientSession for each client (wire/session, or a queue in a test).
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "caucus/federation/federation.hpp"
#include "caucus/federation/hosting/client_sessions.hpp"
#include "caucus/federation/hosting/event_queue.hpp"
#include "caucus/federation/hosting/host_status.hpp"
#include "caucus/federation/hosting/store_writer.hpp"
#include "caucus/log.hpp"

namespace caucus {

struct HostOptions {
  /// The most batches between snapshots. A snapshot is taken sooner when the reports since the last
  /// one take much more room than it did.
  std::size_t snapshot_every = 1000;
  Log log;
  /// The host is unhealthy when one event or one commit takes longer than this.
  std::chrono::milliseconds stuck_after{5000};
};

class Host {
 public:
  /// Continues from what the store holds.
  static Result<std::unique_ptr<Host>> make(FederationSettings settings,
                                            const std::string& plan_bytes, Store store,
                                            HostOptions options);
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;
  Host(Host&&) = delete;
  Host& operator=(Host&&) = delete;
  ~Host();

  // --- messages of clients, posted from any thread ---
  /// Welcomes the session, which replaces an older one of this client, or refuses it.
  void join(HelloRecord hello, std::shared_ptr<ClientSession> session);
  /// Says that the client has its data.
  void ready(std::shared_ptr<ClientSession> session, ReadyRecord ready);
  void report(std::shared_ptr<ClientSession> session, ReportRecord report);
  /// Says that the session's stream has ended.
  void disconnected(std::shared_ptr<ClientSession> session);
  /// Says that the client has acknowledged the End. The session is closed once that is durable.
  void goodbye(std::shared_ptr<ClientSession> session);

  // --- for the owner of the server ---
  /// Waits until the run has finished and is stored, stop() is called or the store fails.
  Status wait();
  /// Waits until every client has acknowledged the End, stop() is called or this time has passed.
  Status linger(std::chrono::milliseconds most);
  /// Stores every closed batch and closes the sessions. The run continues when it is served again.
  void stop();
  /// Stops without storing anything more, as if the process had been killed: for tests.
  void abandon();

  [[nodiscard]] HostStatus status() const;
  /// Calls `reply` on the host's thread; it must return at once.
  void post_status(std::function<void(const HostStatus&)> reply) const;
  /// Returns why batches do not close although they could, or an empty text. It does not wait.
  [[nodiscard]] std::string trouble() const;
  /// Returns how long this process has had batches open.
  [[nodiscard]] std::chrono::duration<double> working_time() const;
  /// Waits for work(federation), which runs on the host's thread.
  template <class Work>
  auto look(Work&& work) const {
    std::promise<decltype(work(std::declval<const Federation&>()))> promise;
    events_.post([&] { promise.set_value(work(federation_)); });
    return promise.get_future().get();
  }

 private:
  Host(Federation federation, Store store, std::uint64_t start, HostOptions options);

  static Result<Federation> recover(FederationSettings settings, const std::string& plan_bytes,
                                    Store& store, const Log& log);

  static Time now() { return std::chrono::steady_clock::now(); }

  // All of these run on the host's thread.
  void run();
  void on_join(const HelloRecord& hello, std::shared_ptr<ClientSession> session);
  void on_ready(ClientSession& session, const ReadyRecord& ready);
  void on_report(ClientSession& session, ReportRecord report);
  void on_disconnected(const ClientSession& session);
  void on_goodbye(const std::shared_ptr<ClientSession>& session);
  void on_stored();
  [[nodiscard]] HostStatus make_status() const;
  /// Returns the welcome, or why the client must not join now.
  Result<WelcomeRecord> admit(const HelloRecord& hello, const ClientSession& session);
  /// Starts the run and closes batches as long as that is possible.
  void advance();
  void start_run();
  void close_batch();
  void count_traffic(std::uint32_t client);
  /// Returns whether the whole state is to be stored after this batch.
  [[nodiscard]] bool snapshot_due(const ClosedBatch& closed);
  /// Returns whether the open batch's models may be sent: the store has kept up.
  [[nodiscard]] bool may_assign() const;
  /// Returns the last batch of the client whose report the server will never ask for again.
  std::uint64_t durable_batch(std::uint32_t client);
  /// Sends the models of the client's batch, unless this session has them.
  void send_assignment(std::uint32_t client);
  void send_assignments();
  /// Returns whether the client is connected, has finished and was not sent the End.
  [[nodiscard]] bool can_send_end(std::uint32_t client) const;
  /// Returns whether the client is connected and was cut off.
  [[nodiscard]] bool must_disconnect(std::uint32_t client) const;
  /// Sends the End to clients that have finished and disconnects those that were cut off, once
  /// that is durable: they will not connect again.
  void release_clients();
  void close_acknowledged();
  void fail(Error error);
  [[nodiscard]] bool is_open() const { return !stopped_ && !failed_; }

  /// The conditions that wait() and linger() wait for.
  struct Progress {
    bool finished = false, stopped = false;
    std::size_t unacknowledged = 0;
    std::optional<Error> failure;
  };
  void publish();

  Federation federation_;
  const HostOptions options_;
  std::vector<Log> client_logs_;  ///< limited: a client can connect as often as it likes
  std::size_t report_bytes_ = 0, snapshot_bytes_ = 0;  ///< since the last snapshot, and its own
  ClientSessions sessions_;
  /// Sessions whose acknowledgement is not stored yet.
  std::vector<std::pair<StoreWriter::Ticket, std::shared_ptr<ClientSession>>> goodbyes_;
  StoreWriter::Ticket first_snapshot_ = 0;  ///< the snapshot before the first batch
  bool assignments_held_ = false;           ///< the store must catch up before models are sent
  const std::uint64_t start_;               ///< counts the starts of the run's server
  /// The batches of one client, as it counts them.
  struct ClientBatches {
    std::uint64_t since = 0;    ///< the batch that was open when this server started
    std::uint64_t durable = 0;  ///< the last batch that is known to be durable
    /// Pairs of a server's batch that is not known to be durable, and the client's batch that
    /// closed with it.
    std::deque<std::pair<std::uint64_t, std::uint64_t>> closed;
  };
  std::vector<ClientBatches> batches_;
  std::optional<Time> started_at_,
      finished_at_;  ///< when the first batch was opened and the last closed
  bool stopped_ = false, failed_ = false, quit_ = false;

  mutable std::mutex progress_mutex_;
  std::condition_variable progressed_;
  Progress progress_;

  mutable EventQueue events_;
  std::atomic<bool> stored_posted_ = false;
  StoreWriter::Ticket cut_commit_ = 0;  ///< the commit that stores that a client was cut off
  StoreWriter store_;
  std::thread thread_;
};

}  // namespace caucus
