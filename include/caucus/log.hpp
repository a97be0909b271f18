// Log events of a server or a client. An event has fields, and the application decides where to
// write it. Fields never contain secrets.
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

/// The library calls it from any of its threads. If it is empty, events are discarded.
using Log =
    std::function<void(LogLevel, std::string_view event, std::initializer_list<LogField> fields)>;

inline void write_log(const Log& log, LogLevel level, std::string_view event,
                      std::initializer_list<LogField> fields = {}) {
  if (log) log(level, event, fields);
}

}  // namespace caucus
