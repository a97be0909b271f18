// What a server or a client says of itself while it runs: events with fields, for whoever writes
// them down. Nothing secret ever goes in.
#pragma once

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>

namespace caucus {

enum class LogLevel { debug, info, warning, error };

struct LogField {
  std::string_view key;
  std::string value;
};

/// May be called from any thread; may be empty, then nobody listens.
using Log =
    std::function<void(LogLevel, std::string_view event, std::initializer_list<LogField> fields)>;

inline void write_log(const Log& log, LogLevel level, std::string_view event,
                      std::initializer_list<LogField> fields = {}) {
  if (log) log(level, event, fields);
}

/// The same for what anybody can cause: so many lines in a second, and how many were left out.
Log limited(Log log, std::size_t per_second);

}  // namespace caucus
