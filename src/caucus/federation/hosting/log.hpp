// Limits how much a peer can write to the log.
#pragma once

#include <cstddef>

#include "caucus/log.hpp"

namespace caucus {

/// Returns a log for events that any peer can cause: it passes on this many lines per second, and
/// says how many it suppressed.
Log limited(Log log, std::size_t per_second);

}  // namespace caucus
