#include "caucus/federation/store/sqlite.hpp"

#include <sqlite3.h>

#include <system_error>

namespace caucus {
namespace {

constexpr int kPatienceMilliseconds = 5000;  // to wait for another process that holds the file

Error failure_of(sqlite3* connection, const std::string& path) {
  std::string reason = sqlite3_errmsg(connection);
  const int system_code = sqlite3_system_errno(connection);
  switch (sqlite3_errcode(connection)) {
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      return data_error(path, "is damaged or no store (" + reason + ")",
                        "expected a file written by caucus serve");
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return data_error(path, "is held by another program (" + reason + ")",
                        "expected the server to be its only writer");
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
      if (system_code != 0) reason += ": " + std::generic_category().message(system_code);
      [[fallthrough]];
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return data_error(path, "cannot be read or written (" + reason + ")",
                        "expected permission, and room on the disk");
    default:
      return data_error(path, "cannot be used as a store (" + reason + ")");
  }
}

// These three characters have a meaning in a URI.
std::string frozen_uri(const std::string& path) {
  std::string uri = "file:";
  for (const char c : path) {
    uri += c == '%' ? "%25" : c == '?' ? "%3f" : c == '#' ? "%23" : std::string(1, c);
  }
  return uri + "?immutable=1";
}

}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

void Database::Close::operator()(sqlite3* connection) const { sqlite3_close_v2(connection); }

Error Statement::failed() const { return failure_of(sqlite3_db_handle(statement_.get()), path_); }

Status Statement::checked(int code) const { return code == SQLITE_OK ? Status(Done{}) : failed(); }

Status Database::checked(int code) const {
  return code == SQLITE_OK ? Status(Done{}) : failure_of(connection_.get(), path_);
}

Status Statement::bind(int index, std::int64_t value) {
  return checked(sqlite3_bind_int64(statement_.get(), index, value));
}

Status Statement::bind(int index, std::string_view value) {
  const char* data = value.empty() ? "" : value.data();  // a null pointer would mean NULL
  return checked(sqlite3_bind_blob64(statement_.get(), index, data, value.size(), SQLITE_STATIC));
}

Result<bool> Statement::step() {
  switch (sqlite3_step(statement_.get())) {
    case SQLITE_ROW:
      return true;
    case SQLITE_DONE:
      return false;
    default:
      return failed();
  }
}

std::int64_t Statement::number(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

std::string_view Statement::bytes(int column) const {
  const void* data = sqlite3_column_blob(statement_.get(), column);
  if (data == nullptr) return {};
  return {static_cast<const char*>(data),
          static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

void Statement::reset() {
  sqlite3_reset(statement_.get());
  sqlite3_clear_bindings(statement_.get());
}

Result<Database> Database::open(const std::string& path, Access access) {
  const bool frozen = access == Access::read_frozen;
  const bool reads = access == Access::read || frozen;
  int flags = SQLITE_OPEN_NOMUTEX | (reads ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE);
  if (access == Access::create) flags |= SQLITE_OPEN_CREATE;
  if (frozen) flags |= SQLITE_OPEN_URI;
  Database database;
  database.path_ = path;
  sqlite3* connection = nullptr;
  const std::string name = frozen ? frozen_uri(path) : path;
  const int code = sqlite3_open_v2(name.c_str(), &connection, flags, nullptr);
  database.connection_.reset(connection);  // there is one even after a failure, for its message
  CAUCUS_CHECK(database.checked(code));
  sqlite3_busy_timeout(connection, kPatienceMilliseconds);
  return database;
}

Status Database::execute(const std::string& sql) {
  return checked(sqlite3_exec(connection_.get(), sql.c_str(), nullptr, nullptr, nullptr));
}

Result<Statement> Database::prepare(const char* sql) {
  sqlite3_stmt* prepared = nullptr;
  CAUCUS_CHECK(checked(sqlite3_prepare_v3(connection_.get(), sql, -1, SQLITE_PREPARE_PERSISTENT,
                                          &prepared, nullptr)));
  Statement statement;
  statement.statement_.reset(prepared);
  statement.path_ = path_;
  return statement;
}

Result<std::int64_t> Database::number(const char* sql) {
  CAUCUS_TRY(Statement statement, prepare(sql));
  CAUCUS_TRY(const bool row, statement.step());
  return row ? statement.number(0) : 0;
}

bool Database::in_transaction() const { return sqlite3_get_autocommit(connection_.get()) == 0; }

bool Database::has_moved() const {
  int moved = 0;
  const int code = sqlite3_file_control(connection_.get(), nullptr, SQLITE_FCNTL_HAS_MOVED, &moved);
  return code == SQLITE_OK && moved != 0;
}

Status Database::tidy_on_close(bool yes) {
  return checked(
      sqlite3_db_config(connection_.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, yes ? 0 : 1, nullptr));
}

}  // namespace caucus
