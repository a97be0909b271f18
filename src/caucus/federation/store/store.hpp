// The durable state of a federation, in one SQLite file: the identity of the run, the reports
// accepted in each closed batch, the latest snapshot, what was learned up to some earlier batches,
// and which clients have acknowledged the end.
// The server's state is a function of the reports and their order, so after a crash it is rebuilt
// from the snapshot and the batches after it. The store does not interpret reports and snapshots.
//
// Batches are counted from 1 and follow one another without a gap. They become durable in groups,
// each one transaction, synchronised to the disk. After any error the store is as it was at the
// last commit: batches after durable() must be appended again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "caucus/federation/store/sqlite.hpp"
#include "caucus/federation/store/store_file.hpp"
#include "caucus/federation/store/store_rows.hpp"
#include "caucus/result.hpp"

namespace caucus {

struct StoreOptions {
  std::size_t commit_every = 1;  ///< batches per durable commit
};

/// The identity of a run, written once.
struct StoredRun {
  std::array<std::uint8_t, 16> identity{};  ///< random
  std::string plan;                         ///< the configuration, in its canonical form
};

/// The whole state after a batch.
struct StoredSnapshot {
  std::uint64_t batch = 0;
  std::string bytes;
};

/// Used by one thread at a time.
class Store {
 public:
  /// Creates the file if it is missing or empty, and locks out other
  /// servers until this object is destroyed or the process ends. A file that is not a store, has
  /// another version or is damaged is refused and not changed.
  static Result<Store> open(const std::string& path, StoreOptions options);
  /// Opens the committed state of this moment, also while a server writes. It cannot be written.
  static Result<Store> open_for_reading(const std::string& path);

  [[nodiscard]] const std::optional<StoredRun>& run() const { return run_; }
  /// Returns whether more of the run is stored than its identity.
  [[nodiscard]] bool started() const { return started_; }
  /// Must be called first. Replaces a run that has not started; durable on return.
  Status create_run(StoredRun run);

  /// Keeps what was learned up to the batch that is appended next.
  Status keep_learned(std::uint64_t batch, std::string_view bytes);
  /// Returns what was kept of a batch.
  Result<std::optional<std::string>> learned(std::uint64_t batch);

  /// Adds the reports accepted in a closed batch, possibly none. They are durable when the group
  /// is full, that is when durable() says so.
  Status append(std::uint64_t batch, std::span<const StoredReport> reports);
  /// Makes every appended batch durable now; without it they are dropped with the store.
  Status commit();
  /// Returns the highest batch that survives kill -9 and loss of power; 0 before the first.
  [[nodiscard]] std::uint64_t durable() const { return durable_; }
  [[nodiscard]] std::size_t commit_every() const { return options_.commit_every; }

  /// Replaces the snapshot and deletes the reports up to and including its batch. Commits all. It
  /// is an error if the file was removed or replaced meanwhile.
  Status snapshot(const StoredSnapshot& snapshot);
  Result<std::optional<StoredSnapshot>> latest_snapshot();
  [[nodiscard]] std::uint64_t snapshot_batch() const { return snapshot_; }  ///< of the latest

  /// Replaces the bytes that say which clients have acknowledged the end. Commits all.
  Status set_acknowledged(std::string_view bytes);
  Result<std::optional<std::string>> acknowledged();
  /// Counts one more start of a server of this run and returns their number. Commits all.
  Result<std::uint64_t> count_start();
  [[nodiscard]] const std::string& path() const { return database_.path(); }

  using Replayed = std::function<Status(std::uint64_t batch, std::span<const StoredReport>)>;
  /// Calls `replayed` for every batch after this one, in order, up to its first error. The batch
  /// must not be older than the snapshot, and the callback must not write to the store.
  Status replay(std::uint64_t after_batch, const Replayed& replayed);

 private:
  Store(std::optional<FileDescriptor> lock, Database database, StoreOptions options)
      : lock_(std::move(lock)), database_(std::move(database)), options_(options) {}

  Status prepare();
  Status load();
  [[nodiscard]] Error damaged(const std::string& what) const;
  [[nodiscard]] Error misused(const std::string& what, const std::string& expected) const;
  [[nodiscard]] Status check_writable() const;
  [[nodiscard]] Status check_run() const;
  [[nodiscard]] Status check_batch(const std::string& use, std::uint64_t batch) const;
  Result<std::optional<StoredSnapshot>> get(std::string_view name);
  Status put(std::string_view name, std::uint64_t batch, std::string_view bytes);
  Status put_and_commit(std::string_view name, std::uint64_t batch, std::string_view bytes);
  Status replay_row(std::uint64_t batch, const Replayed& replayed);

  Status begin();
  void roll_back();
  /// Whatever fails, the store goes back to the last commit.
  Status or_roll_back(Status status);

  // They are destroyed in the opposite order: the statements, the connection, the lock.
  std::optional<FileDescriptor> lock_;  ///< absent if the store is only read
  Database database_;
  StoreOptions options_;
  Statement insert_batch_, select_batches_, delete_batches_, put_record_, get_record_;

  std::optional<StoredRun> run_;
  std::uint64_t snapshot_ = 0;  ///< the batch of the latest snapshot
  bool started_ = false;
  std::uint64_t last_ = 0;  ///< the last batch that was appended
  std::uint64_t durable_ = 0;
};

}  // namespace caucus
