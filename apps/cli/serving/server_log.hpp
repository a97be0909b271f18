// The log of a server or a client: one line per event, for people and for programs. Text that a
// client sends is escaped, so that it cannot forge a field or a line.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

#include "caucus/log.hpp"

namespace caucus::cli {

enum class LogForm {
  pairs,  ///< time=... level=info event=joined client=c01
  json    ///< {"time": "...", "level": "info", "event": "joined", "client": "c01"}
};

/// Returns the line with its end of line.
std::string log_line(LogForm form, std::chrono::system_clock::time_point time, LogLevel level,
                     std::string_view event, std::span<const LogField> fields);

/// Writes lines from a thread of its own, so that no other thread waits for their reader. When the
/// reader is slow, up to kMostLines wait; further lines are dropped, and a later line says how
/// many. When the writer ends, the reader has half a second for the lines that wait.
class LogWriter {
 public:
  static constexpr std::size_t kMostLines = 1000;

  /// Writes to this file descriptor, which stays open.
  LogWriter(int descriptor, LogForm form);

  /// Returns a log for any thread while the writer exists; debug events are left out.
  [[nodiscard]] Log log();
  /// Writes a whole line, which ends with a line feed.
  void write(std::string line);

 private:
  void run(const std::stop_token& closing);
  /// Returns false if the reader takes nothing in time.
  bool put(std::string_view text, const std::stop_token& closing);

  const int descriptor_;
  const LogForm form_;
  std::optional<std::chrono::steady_clock::time_point> give_up_;  ///< the last moment to write

  std::mutex mutex_;  // guards lines_ and dropped_
  std::condition_variable_any changed_;
  std::deque<std::string> lines_;
  std::uint64_t dropped_ = 0;
  std::jthread thread_;  // ends before the others do
};

}  // namespace caucus::cli
