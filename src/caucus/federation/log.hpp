// Limits what a peer can write into the log.
#pragma once

#include <cstddef>

#include "caucus/log.hpp"

namespace caucus {

/// A log for events that anybody can cause: it passes on so many lines in a second, and says how
/// many it left out.
Log limited(Log log, std::size_t per_second);

}  // namespace caucus
