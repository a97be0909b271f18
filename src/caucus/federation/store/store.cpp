#include "caucus/federation/store/store.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "caucus/federation/store/sqlite.hpp"
#include "caucus/federation/store/store_file.hpp"
#include "caucus/federation/store/store_lock.hpp"

namespace caucus {
namespace {

constexpr std::string_view kRun = "run";
constexpr std::string_view kSnapshot = "snapshot";
constexpr std::string_view kAcknowledged = "told";  // as the first version named it
constexpr std::string_view kStarts = "starts";      // their number is in place of a batch's

struct Record {
  std::uint64_t batch = 0;
  std::string bytes;
};

std::int64_t signed_number(std::uint64_t value) { return static_cast<std::int64_t>(value); }

}  // namespace

// Members go in the opposite order: statements, the connection, and last the lock.
struct Store::Parts {
  std::optional<StoreLock> lock;  // none: for reading only
  Database database;
  StoreOptions options;
  Statement insert_batch, select_batches, delete_batches, put_record, get_record;
  std::string row;  // kept for its memory

  std::optional<StoredRun> run;
  std::uint64_t snapshot = 0;  // the batch of the latest
  bool begun = false;
  std::uint64_t last = 0;  // appended
  std::uint64_t durable = 0;

  [[nodiscard]] Error damaged(const std::string& what) const {
    return data_error(database.path(), what + " is damaged",
                      "expected it as it was written; restore the store from a copy");
  }
  [[nodiscard]] Error misused(const std::string& what, const std::string& expected) const {
    return {ErrorKind::internal, database.path(), what, expected};
  }

  Status prepare();
  Status load();
  [[nodiscard]] Status check_writable() const;
  [[nodiscard]] Status check_run() const;
  Result<std::optional<Record>> get(std::string_view name);
  Status put(std::string_view name, std::uint64_t batch, std::string_view bytes);

  Status begin();
  Status commit();
  void roll_back();
  /// Whatever fails, the store goes back to the last commit.
  Status or_roll_back(Status status);
};

Status Store::Parts::prepare() {
  CAUCUS_TRY(select_batches, database.prepare("SELECT batch, reports, checksum FROM batches "
                                              "WHERE batch > ? ORDER BY batch"));
  CAUCUS_TRY(get_record, database.prepare("SELECT batch, bytes, checksum FROM records WHERE name = "
                                          "CAST(? AS TEXT)"));
  if (!lock) return Done{};
  CAUCUS_TRY(insert_batch, database.prepare("INSERT INTO batches VALUES (?, ?, ?)"));
  CAUCUS_TRY(delete_batches, database.prepare("DELETE FROM batches WHERE batch <= ?"));
  CAUCUS_TRY(put_record,
             database.prepare("INSERT OR REPLACE INTO records VALUES (CAST(? AS TEXT), ?, ?, ?)"));
  return Done{};
}

Status Store::Parts::load() {
  CAUCUS_TRY(auto run_record, get(kRun));
  if (run_record) {
    StoredRun stored;
    if (run_record->bytes.size() < stored.identity.size()) return damaged("the run's record");
    std::copy_n(run_record->bytes.begin(), stored.identity.size(), stored.identity.begin());
    stored.plan = run_record->bytes.substr(stored.identity.size());
    run = std::move(stored);
  }
  CAUCUS_TRY(const auto snapshot_record, get(kSnapshot));
  if (snapshot_record) snapshot = snapshot_record->batch;
  begun = snapshot_record.has_value();
  CAUCUS_TRY(const std::int64_t highest, database.number("SELECT max(batch) FROM batches"));
  if (highest < 0) return damaged("batch " + std::to_string(highest));
  durable = last = std::max(snapshot, static_cast<std::uint64_t>(highest));
  begun = begun || last > 0;
  return Done{};
}

Status Store::Parts::check_writable() const {
  if (!lock) return misused("is open for reading only", "expected no change to it");
  return Done{};
}

Status Store::Parts::check_run() const {
  CAUCUS_CHECK(check_writable());
  if (!run) return misused("holds no run yet", "expected the run to be created first");
  return Done{};
}

Result<std::optional<Record>> Store::Parts::get(std::string_view name) {
  CAUCUS_CHECK(get_record.start(name));
  CAUCUS_TRY(const bool found, get_record.step());
  std::optional<Record> record;
  bool intact = true;
  if (found) {
    record =
        Record{static_cast<std::uint64_t>(get_record.number(0)), std::string(get_record.bytes(1))};
    intact = get_record.number(0) >= 0 &&
             get_record.number(2) == row_checksum(record->batch, record->bytes);
  }
  get_record.reset();
  if (!intact) {
    return damaged("the " + std::string(name) + "'s record, of batch " +
                   std::to_string(record->batch) + ",");
  }
  return record;
}

Status Store::Parts::put(std::string_view name, std::uint64_t batch, std::string_view bytes) {
  return put_record.run(name, signed_number(batch), bytes, row_checksum(batch, bytes));
}

Status Store::Parts::begin() {
  return database.in_transaction() ? Status(Done{}) : database.execute("BEGIN IMMEDIATE");
}

Status Store::Parts::commit() {
  if (database.in_transaction()) {
    CAUCUS_CHECK(or_roll_back(database.execute("COMMIT")));
  }
  durable = last;
  return Done{};
}

void Store::Parts::roll_back() {
  // SQLite itself has rolled back after some errors. If this fails, the log has no commit all the
  // same, so that the next opening finds the last one.
  if (database.in_transaction()) (void)database.execute("ROLLBACK");
  last = durable;
}

Status Store::Parts::or_roll_back(Status status) {
  if (!status.ok()) roll_back();
  return status;
}

Store::Store(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Store::Store(Store&& other) noexcept = default;
Store& Store::operator=(Store&& other) noexcept = default;
Store::~Store() = default;

Result<Store> Store::load(std::unique_ptr<Parts> parts) {
  CAUCUS_CHECK(parts->prepare());
  CAUCUS_CHECK(parts->load());
  return Store(std::move(parts));
}

Result<Store> Store::open(const std::string& path, StoreOptions options) {
  if (options.commit_every == 0) {
    return usage_error(path, "cannot commit every 0 batches", "expected at least 1");
  }
  CAUCUS_TRY(const std::string real, store_path(path));
  if (!is_new_store(real)) {  // before there is a lock: beside another's file we leave nothing
    CAUCUS_TRY(Database database, Database::open(real, Database::Access::read));
    CAUCUS_CHECK(recognise_store(database, store_steps()));
  }
  CAUCUS_TRY(StoreLock lock, StoreLock::take(real));
  if (is_new_store(real)) {
    CAUCUS_CHECK(create_store_file(real));
  }
  CAUCUS_TRY(Database database, open_store_file(real));
  auto parts = std::make_unique<Parts>();
  parts->lock.emplace(std::move(lock));
  parts->database = std::move(database);
  parts->options = options;
  return load(std::move(parts));
}

Result<Store> Store::open_for_reading(const std::string& path) {
  CAUCUS_TRY(const std::string real, store_path(path));
  if (is_new_store(real)) {
    return data_error(path, "there is no store", "expected a file written by caucus serve");
  }
  CAUCUS_TRY(Database database, open_store_file_for_reading(real));
  auto parts = std::make_unique<Parts>();
  parts->database = std::move(database);
  return load(std::move(parts));
}

const std::optional<StoredRun>& Store::run() const { return parts_->run; }
bool Store::begun() const { return parts_->begun; }
std::size_t Store::commit_every() const { return parts_->options.commit_every; }

std::uint64_t Store::durable() const { return parts_->durable; }

Status Store::create_run(StoredRun run) {
  Parts& parts = *parts_;
  CAUCUS_CHECK(parts.check_writable());
  if (parts.begun) return parts.misused("holds a run already", "expected a new store");
  std::string bytes(run.identity.begin(), run.identity.end());
  bytes += run.plan;
  CAUCUS_CHECK(parts.begin());
  CAUCUS_CHECK(parts.or_roll_back(parts.put(kRun, 0, bytes)));
  CAUCUS_CHECK(parts.commit());
  parts.run = std::move(run);
  return Done{};
}

Status Store::append(std::uint64_t batch, std::span<const StoredReport> reports) {
  Parts& parts = *parts_;
  CAUCUS_CHECK(parts.check_run());
  if (batch != parts.last + 1) {
    return parts.misused("cannot append batch " + std::to_string(batch),
                         "expected batch " + std::to_string(parts.last + 1));
  }
  pack_reports(reports, parts.row);
  CAUCUS_CHECK(parts.begin());
  CAUCUS_CHECK(parts.or_roll_back(parts.insert_batch.run(
      signed_number(batch), std::string_view(parts.row), row_checksum(batch, parts.row))));
  parts.last = batch;
  parts.begun = true;
  if (parts.last - parts.durable < parts.options.commit_every) return Done{};
  return parts.commit();
}

Status Store::commit() {
  CAUCUS_CHECK(parts_->check_writable());
  return parts_->commit();
}

Status Store::snapshot(const StoredSnapshot& snapshot) {
  Parts& parts = *parts_;
  CAUCUS_CHECK(parts.check_run());
  if (snapshot.batch < parts.snapshot || snapshot.batch > parts.last) {
    return parts.misused("cannot take a snapshot of batch " + std::to_string(snapshot.batch),
                         "expected a batch from " + std::to_string(parts.snapshot) + " to " +
                             std::to_string(parts.last));
  }
  if (parts.database.has_moved()) {
    parts.roll_back();
    return data_error(parts.database.path(), "was removed, renamed or replaced while it was served",
                      "expected the store to stay in its place");
  }
  CAUCUS_CHECK(parts.begin());
  CAUCUS_CHECK(parts.or_roll_back(parts.put(kSnapshot, snapshot.batch, snapshot.bytes)));
  CAUCUS_CHECK(parts.or_roll_back(parts.delete_batches.run(signed_number(snapshot.batch))));
  CAUCUS_CHECK(parts.commit());
  parts.snapshot = snapshot.batch;
  parts.begun = true;
  return Done{};
}

Result<std::optional<StoredSnapshot>> Store::latest_snapshot() {
  CAUCUS_TRY(auto record, parts_->get(kSnapshot));
  std::optional<StoredSnapshot> snapshot;
  if (record) snapshot = StoredSnapshot{record->batch, std::move(record->bytes)};
  return snapshot;
}

Status Store::set_acknowledged(std::string_view bytes) {
  Parts& parts = *parts_;
  CAUCUS_CHECK(parts.check_run());
  CAUCUS_CHECK(parts.begin());
  CAUCUS_CHECK(parts.or_roll_back(parts.put(kAcknowledged, 0, bytes)));
  return parts.commit();
}

Result<std::optional<std::string>> Store::acknowledged() {
  CAUCUS_TRY(auto record, parts_->get(kAcknowledged));
  std::optional<std::string> bytes;
  if (record) bytes = std::move(record->bytes);
  return bytes;
}

Result<std::uint64_t> Store::count_start() {
  Parts& parts = *parts_;
  CAUCUS_CHECK(parts.check_run());
  CAUCUS_TRY(const auto before, parts.get(kStarts));
  const std::uint64_t starts = before ? before->batch + 1 : 1;
  CAUCUS_CHECK(parts.begin());
  CAUCUS_CHECK(parts.or_roll_back(parts.put(kStarts, starts, "")));
  CAUCUS_CHECK(parts.commit());
  return starts;
}

const std::string& Store::path() const { return parts_->database.path(); }

Status Store::replay(std::uint64_t after_batch, const Replayed& replayed) {
  Parts& parts = *parts_;
  if (after_batch < parts.snapshot || after_batch > parts.last) {
    return parts.misused("cannot replay from batch " + std::to_string(after_batch),
                         "expected a batch from " + std::to_string(parts.snapshot) + " to " +
                             std::to_string(parts.last));
  }
  const auto replay_row = [&](std::uint64_t batch) -> Status {
    const Statement& row = parts.select_batches;
    const std::string name = "batch " + std::to_string(batch);
    if (row.number(0) != signed_number(batch)) {
      return data_error(parts.database.path(), name + " is missing",
                        "expected every batch after the snapshot");
    }
    const std::string_view bytes = row.bytes(1);
    if (row.number(2) != row_checksum(batch, bytes)) return parts.damaged(name);
    const auto reports = unpack_reports(bytes);
    if (!reports) return parts.damaged(name);
    return replayed(batch, *reports);
  };
  const auto replay_all = [&]() -> Status {
    CAUCUS_CHECK(parts.select_batches.start(signed_number(after_batch)));
    for (std::uint64_t batch = after_batch + 1;; ++batch) {
      CAUCUS_TRY(const bool found, parts.select_batches.step());
      if (!found) return Done{};
      CAUCUS_CHECK(replay_row(batch));
    }
  };
  Status status = replay_all();
  parts.select_batches.reset();
  return status;
}

}  // namespace caucus
