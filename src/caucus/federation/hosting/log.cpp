#include "caucus/federation/hosting/log.hpp"

#include <chrono>
#include <memory>
#include <mutex>
#include <utility>

namespace caucus {
namespace {

/// Counts the lines of the present second.
struct Limit {
  std::mutex mutex;
  std::chrono::steady_clock::time_point begun{};
  std::size_t written = 0, left_out = 0;
};

}  // namespace

Log limited(Log log, std::size_t per_second) {
  return [log = std::move(log), per_second, limit = std::make_shared<Limit>()](
             LogLevel level, std::string_view event, std::initializer_list<LogField> fields) {
    std::size_t left_out = 0;
    {
      const std::lock_guard lock(limit->mutex);
      const auto now = std::chrono::steady_clock::now();
      if (now >= limit->begun + std::chrono::seconds(1)) {
        limit->begun = now;
        limit->written = 0;
      }
      if (limit->written == per_second) {
        ++limit->left_out;
        return;
      }
      ++limit->written;
      left_out = std::exchange(limit->left_out, 0);
    }
    if (left_out > 0) write_log(log, level, "left out", {{"lines", std::to_string(left_out)}});
    write_log(log, level, event, fields);
  };
}

}  // namespace caucus
