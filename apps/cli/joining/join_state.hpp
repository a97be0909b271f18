// The state of `caucus join`, from which it continues after a crash: which rows of its file it used
// for which batch and the personal layer before them, as long as the server may ask for that batch
// again. Lines for each batch, with checksums, are appended before the batch's report is sent, so
// an incomplete last line belongs to a report that was never sent. When the server has all rows,
// the last line says so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "caucus/engine/participant/records.hpp"
#include "caucus/result.hpp"

namespace caucus::cli {

/// Returns the name of a run for messages and files.
std::string run_text(const RunId& run);

/// The run, the client and the rows that the file belongs to.
struct JoinIdentity {
  RunId run{};
  std::string client;
  std::uint64_t data = 0;  ///< fingerprint of the rows

  friend bool operator==(const JoinIdentity&, const JoinIdentity&) = default;
};

/// The rows [first, end).
struct UsedRows {
  std::uint64_t first = 0, end = 0;
  std::string personal = {};  ///< the state of the personal layer before them

  friend bool operator==(const UsedRows&, const UsedRows&) = default;
};

class JoinState {
 public:
  /// Returns nullopt if there is no such file, and an error if it is something else or damaged.
  static Result<std::optional<JoinState>> load(const std::string& path);
  /// Does the same without writing to the file, which a client may be using. The result is only for
  /// looking at.
  static Result<std::optional<JoinState>> read(const std::string& path);
  /// Begins anew at a row and replaces an existing file.
  static Result<JoinState> create(const std::string& path, JoinIdentity identity,
                                  std::uint64_t next_row);

  [[nodiscard]] const JoinIdentity& identity() const { return identity_; }
  [[nodiscard]] std::uint64_t next_row() const { return next_row_; }
  [[nodiscard]] std::optional<UsedRows> rows_of(std::uint64_t batch) const;
  /// Adds the rows of a batch. On return they survive the process, but not a power failure.
  Status use(std::uint64_t batch, const UsedRows& rows);
  /// Adds the state of the personal layer after the rows that were used last.
  Status keep_personal(std::string state);
  /// Returns the latest one; it may be empty.
  [[nodiscard]] const std::string& personal() const { return personal_; }
  /// Forgets batches up to this one, for which the server will not ask again.
  Status forget_up_to(std::uint64_t batch);
  /// Notes that the server has all rows. On return the file says so.
  Status finish();
  [[nodiscard]] bool finished() const { return finished_; }
  /// Removes a file that is no longer needed to resume.
  static void remove(const std::string& path);
  /// Removes this file, unless another process has replaced it meanwhile.
  void remove_own() const;

 private:
  JoinState() = default;
  bool read_header(const std::string& line);
  bool read_record(const std::string& line);
  Status append(const std::string& line);
  /// Writes the whole file anew, without the forgotten batches.
  Status rewrite();

  std::string path_;
  JoinIdentity identity_;
  std::uint64_t next_row_ = 0;
  bool finished_ = false;
  std::map<std::uint64_t, UsedRows> rows_;  ///< by batch
  std::string personal_;
  std::size_t forgotten_ = 0;        ///< lines of the file that are no longer needed
  std::size_t forgotten_bytes_ = 0;  ///< the personal layers in them
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace caucus::cli
