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
  std::chrono::steady_clock::time_point started{};
  std::size_t written = 0, skipped = 0;
};

}  // namespace

Log limited(Log log, std::size_t per_second) {
  return [log = std::move(log), per_second, limit = std::make_shared<Limit>()](
             LogLevel level, std::string_view event, std::initializer_list<LogField> fields) {
    std::size_t skipped = 0;
    {
      const std::lock_guard lock(limit->mutex);
      const auto now = std::chrono::steady_clock::now();
      if (now >= limit->started + std::chrono::seconds(1)) {
        limit->started = now;
        limit->written = 0;
      }
      if (limit->written == per_second) {
        ++limit->skipped;
        return;
      }
      ++limit->written;
      skipped = std::exchange(limit->skipped, 0);
    }
    if (skipped > 0) write_log(log, level, "suppressed", {{"lines", std::to_string(skipped)}});
    write_log(log, level, event, fields);
  };
}

}  // namespace caucus
