#pragma once

#include <string>

namespace caucus::cli {

/// "0.1.0"
std::string version();

}  // namespace caucus::cli
