// The log of a server or a client: one line per event, for people and for programs. Whatever a
// client says stays within its field of its line.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <thread>

#include "caucus/log.hpp"

namespace caucus::cli {

enum class LogForm {
  pairs,  ///< time=... level=info event=joined client=c01
  json    ///< {"time": "...", "level": "info", "event": "joined", "client": "c01"}
};

/// With its end of line.
std::string log_line(LogForm form, std::chrono::system_clock::time_point time, LogLevel level,
                     std::string_view event, std::span<const LogField> fields);

/// Writes lines from a thread of its own, so that nobody waits for whoever reads them. When the
/// reader is slow, up to kMostLines wait; further lines are lost and counted, and the next line
/// that is written tells how many.
class LogWriter {
 public:
  static constexpr std::size_t kMostLines = 1000;

  /// To this file descriptor, which stays open.
  LogWriter(int descriptor, LogForm form);
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;
  LogWriter(LogWriter&&) = delete;
  LogWriter& operator=(LogWriter&&) = delete;
  /// Gives the lines that wait a moment to be read, and drops the others.
  ~LogWriter();

  /// For any thread while the writer exists; debug events are left out.
  [[nodiscard]] Log log();
  /// A whole line as it is, with its end.
  void write(std::string line);

 private:
  void run();
  /// False if the reader takes nothing before it is too late.
  bool put(std::string_view text);
  [[nodiscard]] bool is_late() const;

  const int descriptor_;
  const LogForm form_;
  std::atomic<std::chrono::steady_clock::rep> give_up_ = 0;  ///< set when the writer ends

  std::mutex mutex_;  // guards everything below
  std::condition_variable changed_;
  std::deque<std::string> lines_;
  std::uint64_t lost_ = 0;
  bool closing_ = false;
  std::thread thread_;
};

}  // namespace caucus::cli
