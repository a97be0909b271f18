// Writes closed batches to the store. Where batches become durable in groups, a thread of its own
// does so, one after the other, and clients work on while a group is written and synchronised;
// where every batch is to be durable before anybody hears of the next, it is written at once.
// For one thread at a time, but durable() for any.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
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
  /// While more than this waits to be written, or more than a group, whoever brings more waits too:
  /// clients keep their reports until they are told that these are durable.
  static constexpr std::size_t kMostBytes = 64U << 20U;
  /// Batches that are worth waking the thread for; a full group wakes it at once.
  static constexpr std::size_t kWorthwhile = 32;

  explicit StoreWriter(Store store);
  StoreWriter(const StoreWriter&) = delete;
  StoreWriter& operator=(const StoreWriter&) = delete;
  StoreWriter(StoreWriter&&) = delete;
  StoreWriter& operator=(StoreWriter&&) = delete;
  ~StoreWriter();  ///< abandons

  [[nodiscard]] bool in_groups() const { return group_ > 1; }

  // Each gives back the first error there was, also of something brought before.
  /// The state after a batch that was brought, or 0 before the first; durable on return.
  Status snapshot(std::uint64_t batch, std::string bytes);
  /// A closed batch and, now and then, the state after it.
  Status append(std::uint64_t batch, std::vector<StoredReport> reports,
                std::optional<std::string> snapshot);
  /// Who has heard that it is done; durable on return, with all that was brought before.
  Status set_told(std::string told);
  /// All that was brought is durable on return.
  Status flush();

  [[nodiscard]] std::uint64_t durable() const { return durable_; }
  /// What waits is not written any more.
  void abandon();

 private:
  /// Written from top to bottom.
  struct Job {
    std::uint64_t batch = 0;
    std::optional<std::vector<StoredReport>> reports = {};
    std::optional<std::string> snapshot = {};
    std::optional<std::string> told = {};
    bool commit = false;

    [[nodiscard]] std::size_t bytes() const;
  };

  Status bring(Job job);
  [[nodiscard]] bool worthwhile() const;
  Status wait();
  Status write(const Job& job);
  void write_all();

  Store store_;
  const std::size_t group_;  ///< batches that become durable together
  std::atomic<std::uint64_t> durable_;

  std::mutex mutex_;  // of all below
  std::condition_variable changed_;
  std::deque<Job> jobs_;  ///< the first one is being written
  std::size_t bytes_ = 0;
  bool wanted_ = false;  ///< to be written now
  std::optional<Error> failure_;
  bool abandoned_ = false;

  std::thread thread_;  ///< only for groups
};

}  // namespace caucus
