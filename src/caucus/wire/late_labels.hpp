// Notices that an application's true values come so late that nothing is learned from them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>

#include "caucus/log.hpp"

namespace caucus::wire {

class LateLabels {
 public:
  static constexpr std::uint64_t kEnough = 50;  ///< late values before a warning is due

  /// Counts a true value. The first time that nine of ten come too late, the log says so.
  void count(bool in_time, std::size_t label_delay, const Log& log) {
    const std::lock_guard lock(mutex_);
    ++(in_time ? in_time_ : late_);
    if (warned_ || late_ < kEnough || late_ < 9 * in_time_) return;
    warned_ = true;
    write_log(log, LogLevel::warning, "labels too late",
              {{"late", std::to_string(late_)},
               {"in_time", std::to_string(in_time_)},
               {"label_delay", std::to_string(label_delay)},
               {"why",
                "most true values come after the batch of their prediction has closed, and nothing "
                "is learned from them; the server's label_delay lets them come later"}});
  }

 private:
  std::mutex mutex_;
  std::uint64_t in_time_ = 0, late_ = 0;
  bool warned_ = false;
};

}  // namespace caucus::wire
