// The subset of TOML that a configuration needs, in ASCII. The library that reads it (toml++ 3.3)
// has undefined behaviour on letters beyond ASCII outside quotes, as fuzzing shows; here they
// become errors, and letters inside quotes become escapes.
#pragma once

#include <string>

#include "caucus/result.hpp"

namespace caucus::cli {

/// Rewrites a configuration in ASCII; `file` is for messages. Texts in triple quotes are refused.
Result<std::string> plain_toml(const std::string& text, const std::string& file);

}  // namespace caucus::cli
