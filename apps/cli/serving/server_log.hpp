// The server's log: one line per event, for people and for programs. Whatever a client says, it
// stays within its field of its line.
#pragma once

#include <chrono>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>

#include "caucus/log.hpp"

namespace caucus::cli {

enum class LogForm {
  pairs,  ///< time=... level=info event=joined client=c01
  json    ///< {"time": "...", "level": "info", "event": "joined", "client": "c01"}
};

/// With its end of line.
std::string log_line(LogForm form, std::chrono::system_clock::time_point time, LogLevel level,
                     std::string_view event, std::span<const LogField> fields);

/// Writes lines as wholes, from any thread; debugging is left out.
Log log_to(std::FILE* file, LogForm form);

}  // namespace caucus::cli
