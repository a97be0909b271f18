#include "caucus/federation/store/store_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

namespace caucus {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kApplication = 0x63617563;  // "cauc"
// A batch of ten clients is some 16 KB. With SQLite's own 4 KB pages, and the log copied back every
// 4 MB instead of 32, a batch takes twice as long to store.
constexpr std::size_t kPage = 16'384;
constexpr std::size_t kLogPages = 2'000;

// All reports of a batch are one row: one insertion and one checksum. The records are the run,
// the latest snapshot, which clients have acknowledged the end and how often the run was served,
// each at most once.
constexpr std::int64_t kVersion = 1;
constexpr const char* kTables = R"sql(
  CREATE TABLE batches (batch INTEGER PRIMARY KEY, reports BLOB NOT NULL, checksum INTEGER NOT NULL)
    STRICT;
  CREATE TABLE records (name TEXT PRIMARY KEY, batch INTEGER NOT NULL, bytes BLOB NOT NULL,
    checksum INTEGER NOT NULL) STRICT;
)sql";

Error cannot_create(const std::string& path, int code) {
  return data_error(path, "cannot be created (" + std::generic_category().message(code) + ")",
                    "expected a directory where the server may write");
}

// A new file survives a power failure only once its directory is on the disk too.
Status sync_directory_of(const std::string& path) {
  const std::string parent = fs::path(path).parent_path();
  const FileDescriptor directory(::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const bool synced = directory.number() >= 0 && ::fsync(directory.number()) == 0;
  return synced ? Status(Done{}) : cannot_create(path, errno);
}

Status check_structure(Database& database) {
  CAUCUS_TRY(Statement check, database.prepare("PRAGMA quick_check(1)"));
  CAUCUS_TRY(const bool row, check.step());
  if (row && check.bytes(0) == "ok") return Done{};
  return data_error(database.path(), "is damaged (" + std::string(check.bytes(0)) + ")",
                    "expected an intact store; restore it from a copy");
}

}  // namespace

FileDescriptor::~FileDescriptor() {
  if (number_ >= 0) ::close(number_);
}

Result<std::string> store_path(const std::string& path) {
  const auto wrong = [&](const std::string& what) {
    return data_error(path, what, "expected the name of a file for the store");
  };
  if (path.empty()) return wrong("an empty name is no store");
  std::error_code code;
  const fs::path absolute = fs::absolute(path, code);
  const fs::path real = code ? fs::path() : fs::weakly_canonical(absolute, code);
  const auto kind = code ? fs::file_type::none : fs::status(real, code).type();
  if (kind == fs::file_type::none) return wrong("cannot be reached (" + code.message() + ")");
  if (kind == fs::file_type::not_found && real.has_filename()) return real.string();
  if (kind != fs::file_type::regular) return wrong("is no regular file");
  return real.string();
}

bool is_new_store(const std::string& path) {
  std::error_code code;
  const auto size = fs::file_size(path, code);
  return code == std::errc::no_such_file_or_directory || (!code && size == 0);
}

Result<FileDescriptor> lock_store(const std::string& path) {
  const std::string beside = path + "-lock";
  FileDescriptor file(::open(beside.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  // The file remains when the lock is released: removing it could remove the next server's lock.
  if (file.number() >= 0 && ::flock(file.number(), LOCK_EX | LOCK_NB) == 0) return file;
  const int code = errno;
  if (code == EWOULDBLOCK) {
    return data_error(path, "is in use by another server", "expected one server per store");
  }
  return data_error(beside, "cannot be locked (" + std::generic_category().message(code) + ")",
                    "expected a directory where the server may write");
}

Status create_store_file(const std::string& path) {
  for (const char* log : {"-wal", "-journal"}) {
    std::error_code code;
    const auto size = fs::file_size(path + log, code);
    if (code || size == 0) continue;
    // SQLite would use it as the log of the new store.
    return data_error(path + log, "is left over from a store that is gone",
                      "expected the store beside it, or neither");
  }
  const std::string unfinished = path + "-new";
  std::error_code ignored;
  for (const char* part : {"", "-wal", "-shm", "-journal"}) fs::remove(unfinished + part, ignored);
  // SQLite gives the log the mode of the file.
  constexpr int kNew = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
  if (FileDescriptor(::open(unfinished.c_str(), kNew, 0600)).number() < 0) {
    return cannot_create(path, errno);
  }
  {
    CAUCUS_TRY(Database database, Database::open(unfinished, Database::Access::create));
    CAUCUS_CHECK(database.execute("PRAGMA page_size = " + std::to_string(kPage) +
                                  "; PRAGMA application_id = " + std::to_string(kApplication) +
                                  "; PRAGMA user_version = " + std::to_string(kVersion) + ";" +
                                  kTables));
    CAUCUS_CHECK(database.execute("PRAGMA journal_mode = WAL"));
  }
  if (std::rename(unfinished.c_str(), path.c_str()) != 0) return cannot_create(path, errno);
  return sync_directory_of(path);
}

Status recognise_store(Database& database) {
  CAUCUS_TRY(const std::int64_t application, database.number("PRAGMA application_id"));
  if (application != kApplication) {
    return data_error(database.path(), "is another program's database",
                      "expected a file written by caucus serve");
  }
  CAUCUS_TRY(const std::int64_t version, database.number("PRAGMA user_version"));
  if (version != kVersion) {
    return data_error(database.path(), "is a store of version " + std::to_string(version),
                      "expected " + std::to_string(kVersion) + "; another caucus has written it");
  }
  return Done{};
}

Result<Database> open_store_file(const std::string& path) {
  CAUCUS_TRY(Database database, Database::open(path, Database::Access::write));
  CAUCUS_CHECK(database.tidy_on_close(false));  // until it is known to be a store
  CAUCUS_CHECK(recognise_store(database));
  CAUCUS_CHECK(check_structure(database));
  // The log is synchronised at every commit. The checkpoint makes durable what a killed server had
  // written but not yet synchronised; a reader may keep it from finishing, which is no error.
  CAUCUS_CHECK(database.execute(
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -8192;"
      "PRAGMA trusted_schema = OFF; PRAGMA wal_autocheckpoint = " +
      std::to_string(kLogPages) + "; PRAGMA wal_checkpoint(PASSIVE)"));
  CAUCUS_CHECK(database.tidy_on_close(true));
  return database;
}

Result<Database> open_store_file_for_reading(const std::string& path) {
  // If no file can be created here, SQLite cannot coordinate with a writer. Without a log there is
  // no writer.
  std::error_code ignored;
  const bool frozen = ::access(fs::path(path).parent_path().c_str(), W_OK) != 0 &&
                      !fs::exists(path + "-wal", ignored);
  CAUCUS_TRY(Database database,
             Database::open(path, frozen ? Database::Access::read_frozen : Database::Access::read));
  CAUCUS_CHECK(database.execute("PRAGMA trusted_schema = OFF; BEGIN"));
  CAUCUS_CHECK(recognise_store(database));
  CAUCUS_CHECK(check_structure(database));
  return database;
}

}  // namespace caucus
