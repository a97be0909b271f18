// A connection to an SQLite file and its prepared statements, with errors as values.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "caucus/result.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace caucus {

/// A statement that is prepared once and run often.
class Statement {
 public:
  /// Starts the statement with these values for its parameters: integers, and std::string_view for
  /// bytes, which are not copied and must remain valid until the next start or reset.
  template <class... Values>
  Status start(const Values&... values) {
    reset();
    [[maybe_unused]] int index = 0;
    Status status = Done{};
    ((status.ok() ? void(status = bind(++index, values)) : void()), ...);
    return status;
  }
  /// Returns whether there is a row; its columns are valid until the next step or reset.
  Result<bool> step();
  [[nodiscard]] std::int64_t number(int column) const;
  [[nodiscard]] std::string_view bytes(int column) const;
  /// Releases the values, and the locks that an unfinished statement holds.
  void reset();

  /// Runs a statement without rows.
  template <class... Values>
  Status run(const Values&... values) {
    CAUCUS_CHECK(start(values...));
    const auto row = step();
    reset();
    if (!row.ok()) return row.error();
    return Done{};
  }

 private:
  friend class Database;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  Status bind(int index, std::int64_t value);
  Status bind(int index, std::string_view value);
  [[nodiscard]] Error failed() const;
  [[nodiscard]] Status checked(int code) const;

  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  std::string path_;
};

class Database {
 public:
  enum class Access {
    create,
    write,
    read,
    read_frozen,  ///< a file that nobody writes; needs no files beside it
  };
  /// Only the first statement reads the file.
  static Result<Database> open(const std::string& path, Access access);

  /// Runs statements, separated by semicolons, and ignores their rows.
  Status execute(const std::string& sql);
  Result<Statement> prepare(const char* sql);
  /// Returns the first column of the first row.
  Result<std::int64_t> number(const char* sql);

  [[nodiscard]] bool in_transaction() const;
  /// Returns whether the file was removed, renamed or replaced since it was opened.
  [[nodiscard]] bool has_moved() const;
  /// Sets whether the last connection to close moves the log into the file.
  Status tidy_on_close(bool yes);
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  struct Close {
    void operator()(sqlite3* connection) const;
  };
  [[nodiscard]] Status checked(int code) const;

  std::unique_ptr<sqlite3, Close> connection_;
  std::string path_;
};

}  // namespace caucus
