#include "caucus/federation/log.hpp"

#include <chrono>
#include <memory>
#include <mutex>
#include <utility>

namespace caucus {
namespace {

using Clock = std::chrono::steady_clock;

/// Counts lines in one second after another.
class Limit {
 public:
  explicit Limit(std::size_t per_second) : per_second_(per_second) {}

  struct Answer {
    bool allowed = false;
    std::size_t left_out = 0;  ///< since the last one that was
  };
  Answer ask() {
    const std::lock_guard lock(mutex_);
    const auto now = Clock::now();
    if (now >= begun_ + std::chrono::seconds(1)) {
      begun_ = now;
      written_ = 0;
    }
    if (written_ == per_second_) {
      ++left_out_;
      return {};
    }
    ++written_;
    return {true, std::exchange(left_out_, 0)};
  }

 private:
  const std::size_t per_second_;
  std::mutex mutex_;
  Clock::time_point begun_{};
  std::size_t written_ = 0, left_out_ = 0;
};

}  // namespace

Log limited(Log log, std::size_t per_second) {
  auto limit = std::make_shared<Limit>(per_second);
  return [log = std::move(log), limit](LogLevel level, std::string_view event,
                                       std::initializer_list<LogField> fields) {
    const auto [allowed, left_out] = limit->ask();
    if (left_out > 0) {
      write_log(log, level, "left out", {{"lines", std::to_string(left_out)}});
    }
    if (allowed) write_log(log, level, event, fields);
  };
}

}  // namespace caucus
