// Writes closed batches to the store from a thread of its own, one job after another. Only flush()
// waits. One thread adds jobs; any thread may ask which of them are written.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "caucus/federation/hosting/event_queue.hpp"
#include "caucus/federation/store/store.hpp"
#include "caucus/result.hpp"

namespace caucus {

class StoreWriter {
 public:
  using Ticket = std::uint64_t;  ///< counts jobs from 1

  /// The writer is behind if more bytes than this, or more jobs than a group has, wait.
  static constexpr std::size_t kMostBytes = 64U << 20U;

  /// `on_progress` is called from the writer's thread when more is durable, when all jobs are
  /// written and after an error.
  explicit StoreWriter(Store store, std::function<void()> on_progress = {});
  StoreWriter(const StoreWriter&) = delete;
  StoreWriter& operator=(const StoreWriter&) = delete;
  StoreWriter(StoreWriter&&) = delete;
  StoreWriter& operator=(StoreWriter&&) = delete;
  ~StoreWriter();  ///< calls abandon()

  /// Returns whether several batches become durable together.
  [[nodiscard]] bool in_groups() const { return group_ > 1; }

  /// Stores the state after a batch that was appended; batch 0 stands for the start.
  Ticket snapshot(std::uint64_t batch, std::string bytes);
  /// Stores a closed batch and, if they are given, the state after it and what was learned.
  Ticket append(std::uint64_t batch, std::vector<StoredReport> reports,
                std::optional<std::string> snapshot,
                std::optional<std::string> learned = std::nullopt);
  /// Stores which clients have acknowledged the end.
  Ticket set_acknowledged(std::string acknowledged);
  /// Makes everything before it durable, without waiting for a group to fill.
  Ticket commit();
  /// Commits and waits until all is written. Returns the first error.
  Status flush();

  /// Returns the last job that is written.
  [[nodiscard]] Ticket written() const { return written_; }
  [[nodiscard]] std::uint64_t durable() const { return durable_; }
  /// Returns whether clients must not get further ahead: they keep their reports until these are
  /// durable, and without groups every batch is durable before clients receive the next.
  [[nodiscard]] bool is_behind() const;
  /// Returns the first error, after which nothing more is written.
  [[nodiscard]] std::optional<Error> failure() const;
  /// Returns how long the present job has taken so far; zero between jobs.
  [[nodiscard]] EventQueue::Clock::duration busy() const { return jobs_.busy(); }
  /// Drops what is not written yet.
  void abandon() { stopped_ = true; }

 private:
  using Job = std::function<Status(Store&)>;
  Ticket add(std::size_t bytes, Job job);
  void write(std::size_t bytes, const Job& job);

  Store store_;
  const std::size_t group_;  ///< batches that become durable together
  const std::function<void()> on_progress_;
  std::atomic<std::uint64_t> durable_;
  std::atomic<Ticket> given_ = 0, written_ = 0;
  std::atomic<std::size_t> bytes_ = 0;  ///< bytes of the jobs that are not written
  std::atomic<bool> stopped_ = false;   ///< after an error or abandon()
  bool quit_ = false;                   ///< used only by the thread

  mutable std::mutex failure_mutex_;
  std::optional<Error> failure_;

  EventQueue jobs_;
  std::thread thread_;
};

}  // namespace caucus
