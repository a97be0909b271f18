// The durable state of a federation, in one SQLite file: which run it is, the reports accepted in
// each closed batch, a snapshot now and then, and who has heard that it is done. The server's state
// is a fold of the reports, so after a crash it is the latest snapshot and the replay of the
// batches after it. What reports and snapshot say is not known here: they are bytes.
//
// Batches are counted from 1 and follow one another without a gap. They become durable in groups,
// each one transaction, synchronised to the disk. After any error the store is as it was at the
// last commit: batches after durable() must be appended again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "caucus/federation/store/store_rows.hpp"
#include "caucus/result.hpp"

namespace caucus {

struct StoreOptions {
  std::size_t commit_every = 1;  ///< batches per durable commit
};

/// What a run is, written once.
struct StoredRun {
  std::array<std::uint8_t, 16> identity{};  ///< random
  std::string plan;                         ///< the configuration, in its canonical form
};

/// The whole state after a batch.
struct StoredSnapshot {
  std::uint64_t batch = 0;
  std::string bytes;
};

/// For one thread at a time.
class Store {
 public:
  /// Makes the file if it is missing or empty, migrates an older version, and keeps other servers
  /// out until it is destroyed or the process ends. A file that is not a store, is of a newer
  /// version or is damaged is refused and stays as it is.
  static Result<Store> open(const std::string& path, StoreOptions options);
  /// The committed state of this moment, also while a server goes on writing. Refuses to write.
  static Result<Store> open_for_reading(const std::string& path);

  Store(Store&& other) noexcept;
  Store& operator=(Store&& other) noexcept;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  /// Batches that are not committed are dropped.
  ~Store();

  [[nodiscard]] const std::optional<StoredRun>& run() const;
  /// Whether anything of the run is stored but what it is.
  [[nodiscard]] bool begun() const;
  /// Before all else, in place of one that has not begun; durable on return.
  Status create_run(StoredRun run);

  /// The reports accepted in a closed batch, possibly none. Durable when the group is full, that
  /// is when durable() says so.
  Status append(std::uint64_t batch, std::span<const StoredReport> reports);
  /// Makes every appended batch durable now.
  Status commit();
  /// The highest batch that survives kill -9 and loss of power; 0 before the first.
  [[nodiscard]] std::uint64_t durable() const;
  [[nodiscard]] std::size_t commit_every() const;

  /// Replaces the snapshot and deletes the reports up to and including its batch. Commits all. An
  /// error if the file was removed or replaced meanwhile.
  Status snapshot(const StoredSnapshot& snapshot);
  Result<std::optional<StoredSnapshot>> latest_snapshot();

  /// Replaces the bytes that say which clients have acknowledged the end. Commits all.
  Status set_acknowledged(std::string_view bytes);
  Result<std::optional<std::string>> acknowledged();
  /// One more server of this run: how many there were with it. Commits all.
  Result<std::uint64_t> count_start();
  [[nodiscard]] const std::string& path() const;

  using Replayed = std::function<Status(std::uint64_t batch, std::span<const StoredReport>)>;
  /// Every batch after this one, in order; it must not be older than the snapshot. Ends with the
  /// callback's first error. The callback does not write to the store.
  Status replay(std::uint64_t after_batch, const Replayed& replayed);

 private:
  struct Parts;
  explicit Store(std::unique_ptr<Parts> parts);
  static Result<Store> load(std::unique_ptr<Parts> parts);

  std::unique_ptr<Parts> parts_;
};

}  // namespace caucus
