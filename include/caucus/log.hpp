// What a server or a client says of itself while it runs: events with fields, for the application
// to write down. No field ever holds a secret.
#pragma once

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

/// The library calls it from any of its threads. It may be empty: then events are dropped.
using Log =
    std::function<void(LogLevel, std::string_view event, std::initializer_list<LogField> fields)>;

inline void write_log(const Log& log, LogLevel level, std::string_view event,
                      std::initializer_list<LogField> fields = {}) {
  if (log) log(level, event, fields);
}

}  // namespace caucus
