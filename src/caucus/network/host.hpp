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

#include "caucus/network/federation.hpp"
#include "caucus/network/log.hpp"
#include "caucus/network/store_writer.hpp"

namespace caucus {

/// The way to one client. Its functions are called while the host is locked, so they must return at
/// once and must not call the host; they tell how many bytes they send.
class Line {
 public:
  Line() = default;
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;
  Line(Line&&) = delete;
  Line& operator=(Line&&) = delete;
  virtual ~Line() = default;

  virtual std::size_t welcome(const WelcomeRecord& welcome) = 0;
  virtual std::size_t assign(std::uint64_t batch, std::uint64_t durable,
                             const Assignment& assignment) = 0;
  /// A report was not taken.
  virtual std::size_t refuse(std::uint64_t batch, const std::string& why) = 0;
  /// The client must not come again.
  virtual void cut(const std::string& why) = 0;
  /// There is nothing more to do.
  virtual void end(const std::string& why) = 0;
  /// The server goes down; the client may come again when it is back.
  virtual void close() = 0;
};

struct HostOptions {
  /// Batches, at most: sooner when the reports since the last one take much more than it did.
  std::size_t snapshot_every = 1000;
  Log log;
};

/// What `caucus status` shows.
struct HostStatus {
  Federation::Phase phase = Federation::Phase::waiting;
  std::uint64_t batch = 0, durable = 0;
  std::vector<Member> members;  ///< without what they were given and said
  std::vector<double> probabilities;
  std::vector<std::string> spaces;
  double loss = 0.0, squared_error = 0.0;  ///< sums over the forecasts
  std::uint64_t forecasts = 0;
  std::uint64_t upload_bits = 0, download_bits = 0;  ///< by the formula
  Time now{};
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

  /// Welcomes the client on this line, in place of an older one, or says why not.
  Result<std::uint32_t> join(const HelloRecord& hello, std::shared_ptr<Line> line);
  /// The client has its data.
  Status ready(std::uint32_t client, const Line& line, const ReadyRecord& ready);
  void report(std::uint32_t client, const Line& line, ReportRecord report, std::size_t bytes);
  void leave(std::uint32_t client, const Line& line);

  /// Until the run is over, stop() is called or the store fails.
  Status wait();
  /// Of a run that is over: until every client has been told, but not longer than this.
  void linger(std::chrono::milliseconds most);
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
  Host(Federation federation, Store store, HostOptions options);

  static Result<Federation> recover(FederationSettings settings, const std::string& plan_bytes,
                                    Store& store, const Log& log);
  /// Begins, closes and opens batches as long as there are any to; the host is locked.
  void advance();
  Status close_batch();
  /// Whether the whole state is to be stored behind this batch.
  [[nodiscard]] bool snapshot_due(const ClosedBatch& closed);
  void send_assignment(std::uint32_t client);
  void send_assignments();
  [[nodiscard]] bool somebody_finished() const;  ///< and is still there
  /// Clients whose last report is stored need not stay.
  void dismiss_finished();
  void fail(Error error);
  void end_all(const std::string& why);
  void close_lines();  ///< the host is locked
  void watch_clock();

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  Federation federation_;
  StoreWriter store_;
  const HostOptions options_;
  std::size_t report_bytes_ = 0, snapshot_bytes_ = 0;  ///< since the last snapshot; of that
  std::vector<std::shared_ptr<Line>> lines_;           ///< of each client; null: it is not there
  std::vector<bool> told_;             ///< whether it knows that there is nothing more to do
  std::optional<Time> began_, ended_;  ///< to work on batches
  std::optional<Error> failure_;
  bool stopped_ = false;
  std::thread clock_;  ///< only if batches have a deadline
};

}  // namespace caucus
