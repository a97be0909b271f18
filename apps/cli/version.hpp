#pragma once

#include <string>

#include "caucus/version.hpp"

namespace caucus::cli {

/// "0.1.0"
inline std::string version() { return std::string(caucus::version()); }

}  // namespace caucus::cli
