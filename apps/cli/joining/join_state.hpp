// What `caucus join` must remember to go on after a crash: which rows of its file it used for which
// batch, as long as the server may ask for that batch again. One line per batch, each with a
// checksum, is appended before the batch's report is sent; a last line that is torn was never sent.
// When the server says that it has all, so does the last line: there is nothing more to ask it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "caucus/federation/records.hpp"
#include "caucus/result.hpp"

namespace caucus::cli {

/// A run's name, for people and files.
std::string run_text(const RunId& run);

/// Whose rows these are.
struct JoinIdentity {
  RunId run{};
  std::string client;
  std::uint64_t data = 0;  ///< fingerprint of the rows

  friend bool operator==(const JoinIdentity&, const JoinIdentity&) = default;
};

/// Rows from `first` to before `end`.
struct UsedRows {
  std::uint64_t first = 0, end = 0;

  friend bool operator==(const UsedRows&, const UsedRows&) = default;
};

class JoinState {
 public:
  /// Nothing if there is no such file; an error if it is something else or damaged.
  static Result<std::optional<JoinState>> load(const std::string& path);
  /// Begins anew at a row; a file that is there is replaced.
  static Result<JoinState> create(const std::string& path, JoinIdentity identity,
                                  std::uint64_t next_row);
  JoinState(JoinState&& other) noexcept;
  JoinState& operator=(JoinState&& other) noexcept;
  JoinState(const JoinState&) = delete;
  JoinState& operator=(const JoinState&) = delete;
  ~JoinState();

  [[nodiscard]] const JoinIdentity& identity() const { return identity_; }
  [[nodiscard]] std::uint64_t next_row() const { return next_row_; }
  [[nodiscard]] std::optional<UsedRows> rows_of(std::uint64_t batch) const;
  /// In the file on return: it outlives the process, if not the machine.
  Status use(std::uint64_t batch, const UsedRows& rows);
  /// Batches up to this one will not be asked for again.
  Status forget_up_to(std::uint64_t batch);
  /// The server has all; in the file on return.
  Status finish();
  [[nodiscard]] bool finished() const { return finished_; }
  /// Nobody will resume.
  static void remove(const std::string& path);
  /// Nor here; a file that another process has put in its place meanwhile is left.
  void remove_own() const;

 private:
  JoinState() = default;
  static Result<JoinState> parse(std::string_view text, const std::string& path);
  Status read_header(std::string_view line);
  bool read_record(std::string_view line);
  Status append(const std::string& line);
  [[nodiscard]] std::string header() const;
  /// The whole file anew, without what is forgotten.
  Status rewrite();

  std::string path_;
  JoinIdentity identity_;
  std::uint64_t next_row_ = 0;
  bool finished_ = false;
  std::map<std::uint64_t, UsedRows> rows_;  ///< by batch
  std::size_t forgotten_ = 0;               ///< lines of the file that say nothing any more
  int file_ = -1;
};

}  // namespace caucus::cli
