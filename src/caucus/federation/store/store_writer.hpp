// Writes closed batches to the store from a thread of its own, one job after the other. Nobody
// waits for it but flush(): whoever gives it work asks later what is written.
// One thread gives it work; every thread may ask how far it is.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "caucus/federation/store/store.hpp"
#include "caucus/result.hpp"

namespace caucus {

class StoreWriter {
 public:
  using Ticket = std::uint64_t;  ///< counts jobs from 1
  using Clock = std::chrono::steady_clock;

  /// With more bytes than this, or more jobs than a group, the writer is behind.
  static constexpr std::size_t kMostBytes = 64U << 20U;
  /// So many batches are worth waking the thread for; a full group wakes it at once.
  static constexpr std::size_t kWorthwhile = 32;

  /// `on_progress` is called from the writer's thread when more is durable, when all jobs are
  /// written and after an error.
  explicit StoreWriter(Store store, std::function<void()> on_progress = {});
  StoreWriter(const StoreWriter&) = delete;
  StoreWriter& operator=(const StoreWriter&) = delete;
  StoreWriter(StoreWriter&&) = delete;
  StoreWriter& operator=(StoreWriter&&) = delete;
  ~StoreWriter();  ///< abandons

  /// Whether several batches become durable together.
  [[nodiscard]] bool in_groups() const { return group_ > 1; }

  /// The state after a batch that was appended, or after 0 before the first.
  Ticket snapshot(std::uint64_t batch, std::string bytes);
  /// A closed batch and, now and then, the state after it.
  Ticket append(std::uint64_t batch, std::vector<StoredReport> reports,
                std::optional<std::string> snapshot);
  /// Which clients have acknowledged the end.
  Ticket set_acknowledged(std::string acknowledged);
  /// Makes everything before it durable, without waiting for a group to fill.
  Ticket commit();
  /// Commits and waits until all is written. Gives the first error there was.
  Status flush();

  /// The last job that is written.
  [[nodiscard]] Ticket written() const { return written_; }
  [[nodiscard]] std::uint64_t durable() const { return durable_; }
  /// Whether clients must not get further ahead: they keep their reports until these are durable,
  /// and without groups every batch is durable before anybody hears of the next.
  [[nodiscard]] bool is_behind() const;
  /// The first error. After it nothing more is written.
  [[nodiscard]] std::optional<Error> failure() const;
  /// How long the present job has taken so far; zero between jobs.
  [[nodiscard]] Clock::duration busy() const;
  /// Drops what is not written yet.
  void abandon();

 private:
  /// Its parts are written from top to bottom.
  struct Job {
    std::uint64_t batch = 0;
    std::optional<std::vector<StoredReport>> reports = {};
    std::optional<std::string> snapshot = {};
    std::optional<std::string> acknowledged = {};
    bool commit = false;

    [[nodiscard]] std::size_t bytes() const;
  };

  Ticket add(Job job);
  [[nodiscard]] bool is_worthwhile() const;
  Status write(const Job& job);
  void run();

  Store store_;
  const std::size_t group_;  ///< batches that become durable together
  const std::function<void()> on_progress_;
  std::atomic<std::uint64_t> durable_;
  std::atomic<Ticket> written_ = 0;
  std::atomic<Clock::rep> busy_since_ = 0;

  mutable std::mutex mutex_;  // guards everything below
  std::condition_variable changed_;
  std::deque<Job> jobs_;  ///< the first one is being written
  Ticket given_ = 0;
  std::size_t bytes_ = 0;
  bool wanted_ = false;  ///< the jobs are to be written now
  std::optional<Error> failure_;
  bool abandoned_ = false;

  std::thread thread_;
};

}  // namespace caucus
