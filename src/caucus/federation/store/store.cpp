#include "caucus/federation/store/store.hpp"

#include <algorithm>

namespace caucus {
namespace {

constexpr std::string_view kRun = "run";
constexpr std::string_view kSnapshot = "snapshot";
constexpr std::string_view kAcknowledged = "told";  // the name of the first version
constexpr const char* kLearned = "learned ";        // followed by the batch
constexpr std::string_view kStarts = "starts";      // its column `batch` holds their number

std::int64_t signed_number(std::uint64_t value) { return static_cast<std::int64_t>(value); }

}  // namespace

Error Store::damaged(const std::string& what) const {
  return data_error(path(), what + " is damaged",
                    "expected it as it was written; restore the store from a copy");
}

Error Store::misused(const std::string& what, const std::string& expected) const {
  return {ErrorKind::internal, path(), what, expected};
}

Status Store::prepare() {
  CAUCUS_TRY(select_batches_, database_.prepare("SELECT batch, reports, checksum FROM batches "
                                                "WHERE batch > ? ORDER BY batch"));
  CAUCUS_TRY(get_record_, database_.prepare("SELECT batch, bytes, checksum FROM records "
                                            "WHERE name = CAST(? AS TEXT)"));
  if (!lock_) return Done{};
  CAUCUS_TRY(insert_batch_, database_.prepare("INSERT INTO batches VALUES (?, ?, ?)"));
  CAUCUS_TRY(delete_batches_, database_.prepare("DELETE FROM batches WHERE batch <= ?"));
  CAUCUS_TRY(put_record_,
             database_.prepare("INSERT OR REPLACE INTO records VALUES (CAST(? AS TEXT), ?, ?, ?)"));
  return Done{};
}

Status Store::load() {
  CAUCUS_CHECK(prepare());
  CAUCUS_TRY(const auto run, get(kRun));
  if (run) {
    StoredRun& stored = run_.emplace();
    if (run->bytes.size() < stored.identity.size()) return damaged("the run's record");
    std::copy_n(run->bytes.begin(), stored.identity.size(), stored.identity.begin());
    stored.plan = run->bytes.substr(stored.identity.size());
  }
  CAUCUS_TRY(const auto snapshot, get(kSnapshot));
  if (snapshot) snapshot_ = snapshot->batch;
  CAUCUS_TRY(const std::int64_t highest, database_.number("SELECT max(batch) FROM batches"));
  if (highest < 0) return damaged("batch " + std::to_string(highest));
  durable_ = last_ = std::max(snapshot_, static_cast<std::uint64_t>(highest));
  started_ = snapshot || last_ > 0;
  return Done{};
}

Status Store::check_writable() const {
  if (!lock_) return misused("is open for reading only", "expected no change to it");
  return Done{};
}

Status Store::check_run() const {
  CAUCUS_CHECK(check_writable());
  if (!run_) return misused("holds no run yet", "expected the run to be created first");
  return Done{};
}

Status Store::check_batch(const std::string& use, std::uint64_t batch) const {
  if (batch >= snapshot_ && batch <= last_) return Done{};
  return misused(
      "cannot " + use + " batch " + std::to_string(batch),
      "expected a batch from " + std::to_string(snapshot_) + " to " + std::to_string(last_));
}

Result<std::optional<StoredSnapshot>> Store::get(std::string_view name) {
  CAUCUS_CHECK(get_record_.start(name));
  CAUCUS_TRY(const bool found, get_record_.step());
  std::optional<StoredSnapshot> record;
  bool intact = true;
  if (found) {
    record = StoredSnapshot{static_cast<std::uint64_t>(get_record_.number(0)),
                            std::string(get_record_.bytes(1))};
    intact = get_record_.number(0) >= 0 &&
             get_record_.number(2) == row_checksum(record->batch, record->bytes);
  }
  get_record_.reset();
  if (!intact) {
    return damaged("the " + std::string(name) + "'s record, of batch " +
                   std::to_string(record->batch) + ",");
  }
  return record;
}

Status Store::put(std::string_view name, std::uint64_t batch, std::string_view bytes) {
  CAUCUS_CHECK(begin());
  return or_roll_back(
      put_record_.run(name, signed_number(batch), bytes, row_checksum(batch, bytes)));
}

Status Store::put_and_commit(std::string_view name, std::uint64_t batch, std::string_view bytes) {
  CAUCUS_CHECK(put(name, batch, bytes));
  return commit();
}

Status Store::begin() {
  return database_.in_transaction() ? Status(Done{}) : database_.execute("BEGIN IMMEDIATE");
}

void Store::roll_back() {
  // SQLite itself has rolled back after some errors. If the rollback fails, the log still has no
  // commit, so that the next opening finds the last one.
  if (database_.in_transaction()) (void)database_.execute("ROLLBACK");
  last_ = durable_;
}

Status Store::or_roll_back(Status status) {
  if (!status.ok()) roll_back();
  return status;
}

Result<Store> Store::open(const std::string& path, StoreOptions options) {
  if (options.commit_every == 0) {
    return usage_error(path, "cannot commit every 0 batches", "expected at least 1");
  }
  CAUCUS_TRY(const std::string real, store_path(path));
  if (!is_new_store(real)) {  // before the lock file is made beside another program's file
    CAUCUS_TRY(Database database, Database::open(real, Database::Access::read));
    CAUCUS_CHECK(recognise_store(database));
  }
  CAUCUS_TRY(FileDescriptor lock, lock_store(real));
  if (is_new_store(real)) {
    CAUCUS_CHECK(create_store_file(real));
  }
  CAUCUS_TRY(Database database, open_store_file(real));
  Store store(std::move(lock), std::move(database), options);
  CAUCUS_CHECK(store.load());
  return store;
}

Result<Store> Store::open_for_reading(const std::string& path) {
  CAUCUS_TRY(const std::string real, store_path(path));
  if (is_new_store(real)) {
    return data_error(path, "there is no store", "expected a file written by caucus serve");
  }
  CAUCUS_TRY(Database database, open_store_file_for_reading(real));
  Store store(std::nullopt, std::move(database), {});
  CAUCUS_CHECK(store.load());
  return store;
}

Status Store::create_run(StoredRun run) {
  CAUCUS_CHECK(check_writable());
  if (started_) return misused("holds a run already", "expected a new store");
  std::string bytes(run.identity.begin(), run.identity.end());
  bytes += run.plan;
  CAUCUS_CHECK(put_and_commit(kRun, 0, bytes));
  run_ = std::move(run);
  return Done{};
}

Status Store::keep_learned(std::uint64_t batch, std::string_view bytes) {
  CAUCUS_CHECK(check_run());
  return put(kLearned + std::to_string(batch), batch, bytes);
}

Result<std::optional<std::string>> Store::learned(std::uint64_t batch) {
  CAUCUS_TRY(auto record, get(kLearned + std::to_string(batch)));
  return record ? std::optional(std::move(record->bytes)) : std::nullopt;
}

Status Store::append(std::uint64_t batch, std::span<const StoredReport> reports) {
  CAUCUS_CHECK(check_run());
  if (batch != last_ + 1) {
    return misused("cannot append batch " + std::to_string(batch),
                   "expected batch " + std::to_string(last_ + 1));
  }
  const std::string row = pack_reports(reports);
  CAUCUS_CHECK(begin());
  CAUCUS_CHECK(or_roll_back(
      insert_batch_.run(signed_number(batch), std::string_view(row), row_checksum(batch, row))));
  last_ = batch;
  started_ = true;
  if (last_ - durable_ < options_.commit_every) return Done{};
  return commit();
}

Status Store::commit() {
  CAUCUS_CHECK(check_writable());
  if (database_.in_transaction()) {
    CAUCUS_CHECK(or_roll_back(database_.execute("COMMIT")));
  }
  durable_ = last_;
  return Done{};
}

Status Store::snapshot(const StoredSnapshot& snapshot) {
  CAUCUS_CHECK(check_run());
  CAUCUS_CHECK(check_batch("take a snapshot of", snapshot.batch));
  if (database_.has_moved()) {
    roll_back();
    return data_error(path(), "was removed, renamed or replaced while it was served",
                      "expected the store to stay in its place");
  }
  CAUCUS_CHECK(put(kSnapshot, snapshot.batch, snapshot.bytes));
  CAUCUS_CHECK(or_roll_back(delete_batches_.run(signed_number(snapshot.batch))));
  CAUCUS_CHECK(commit());
  snapshot_ = snapshot.batch;
  started_ = true;
  return Done{};
}

Result<std::optional<StoredSnapshot>> Store::latest_snapshot() { return get(kSnapshot); }

Status Store::set_acknowledged(std::string_view bytes) {
  CAUCUS_CHECK(check_run());
  return put_and_commit(kAcknowledged, 0, bytes);
}

Result<std::optional<std::string>> Store::acknowledged() {
  CAUCUS_TRY(const auto record, get(kAcknowledged));
  return record ? std::optional(record->bytes) : std::nullopt;
}

Result<std::uint64_t> Store::count_start() {
  CAUCUS_CHECK(check_run());
  CAUCUS_TRY(const auto before, get(kStarts));
  const std::uint64_t starts = before ? before->batch + 1 : 1;
  CAUCUS_CHECK(put_and_commit(kStarts, starts, ""));
  return starts;
}

Status Store::replay_row(std::uint64_t batch, const Replayed& replayed) {
  const std::string name = "batch " + std::to_string(batch);
  if (select_batches_.number(0) != signed_number(batch)) {
    return data_error(path(), name + " is missing", "expected every batch after the snapshot");
  }
  const std::string_view bytes = select_batches_.bytes(1);
  if (select_batches_.number(2) != row_checksum(batch, bytes)) return damaged(name);
  const auto reports = unpack_reports(bytes);
  if (!reports) return damaged(name);
  return replayed(batch, *reports);
}

Status Store::replay(std::uint64_t after_batch, const Replayed& replayed) {
  CAUCUS_CHECK(check_batch("replay from", after_batch));
  Status status = select_batches_.start(signed_number(after_batch));
  for (std::uint64_t batch = after_batch + 1; status.ok(); ++batch) {
    const auto row = select_batches_.step();
    if (row.ok() && !*row) break;
    status = row.ok() ? replay_row(batch, replayed) : row.error();
  }
  select_batches_.reset();
  return status;
}

}  // namespace caucus
