// A federation that is being served: it takes what clients say from any thread, one at a time,
// keeps every closed batch in the store (before anybody hears of the next, unless batches are made
// durable in groups), and answers through lines, whatever they are made of (wire/session, or a
// queue in a test).
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "caucus/federation/federation.hpp"
#include "caucus/federation/host_status.hpp"
#include "caucus/federation/lines.hpp"
#include "caucus/federation/store/store_writer.hpp"
#include "caucus/log.hpp"

namespace caucus {

struct HostOptions {
  /// Batches, at most: sooner when the reports since the last one take much more than it did.
  std::size_t snapshot_every = 1000;
  Log log;
};

class Host {
 public:
  /// Goes on from what the store holds.
  static Result<std::unique_ptr<Host>> make(FederationSettings settings,
                                            const std::string& plan_bytes, Store store,
                                            HostOptions options);
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;
  Host(Host&&) = delete;
  Host& operator=(Host&&) = delete;
  ~Host();

  /// Welcomes the client on this line, in place of an older one, or says why not. Whoever waited
  /// here while the client opened a newer line comes too late.
  Result<std::uint32_t> join(const HelloRecord& hello, std::shared_ptr<Line> line);
  /// The client has its data.
  Status ready(std::uint32_t client, const Line& line, const ReadyRecord& ready);
  void report(std::uint32_t client, const Line& line, ReportRecord report);
  void leave(std::uint32_t client, const Line& line);
  /// The client has heard that there is nothing more to do.
  void goodbye(std::uint32_t client, const Line& line);

  /// Until the run is over, stop() is called or the store fails.
  Status wait();
  /// Of a run that is over: until every client knows it, stop() is called or so much time is over.
  Status linger(std::chrono::milliseconds most);
  /// Ends the lines; what was closed is stored. The run goes on when it is served again.
  void stop();
  /// The same without storing anything more, as if the process had been killed: for tests.
  void abandon();

  [[nodiscard]] HostStatus status() const;
  /// How long this process has had batches open.
  [[nodiscard]] std::chrono::duration<double> working_time() const;
  /// work(federation) while nothing happens.
  template <class Work>
  auto look(Work&& work) const {
    const std::lock_guard lock(mutex_);
    return work(federation_);
  }

 private:
  Host(Federation federation, Store store, std::uint64_t start, HostOptions options);

  static Result<Federation> recover(FederationSettings settings, const std::string& plan_bytes,
                                    Store& store, const Log& log);
  /// Begins, closes and opens batches as long as there are any to; the host is locked.
  void advance();
  Status close_batch();
  void count_traffic(std::uint32_t client);
  /// Whether the whole state is to be stored behind this batch.
  [[nodiscard]] bool snapshot_due(const ClosedBatch& closed);
  void send_assignment(std::uint32_t client);
  void send_assignments();
  /// Whether the client is there, has finished and has not been told so.
  [[nodiscard]] bool may_go(std::uint32_t client) const;
  /// Whether the client is there and was cut off.
  [[nodiscard]] bool must_go(std::uint32_t client) const;
  /// Clients whose last report is stored need not stay, and those who were cut off must not.
  void dismiss();
  /// The store; if it fails the client may try again later.
  Status flush_for_join();
  void fail(Error error);
  void close_lines();  ///< the host is locked
  void watch_clock();

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Federation federation_;
  StoreWriter store_;
  const HostOptions options_;
  std::vector<Log> comings_;  ///< of each client: it can come and go as often as it likes
  std::size_t report_bytes_ = 0, snapshot_bytes_ = 0;  ///< since the last snapshot; of that
  Lines lines_;
  const std::uint64_t start_;          ///< of this run's servers, counted by the store
  const std::uint64_t since_;          ///< the first batch that this one opened
  std::optional<Time> began_, ended_;  ///< to work on batches
  std::optional<Error> failure_;
  bool stopped_ = false;
  std::thread clock_;  ///< only if batches have a deadline
};

}  // namespace caucus
