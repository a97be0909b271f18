// A small file as one text.
#pragma once

#include <cstddef>
#include <string>

#include "caucus/core/base/result.hpp"

namespace caucus {

/// All of the file; an error of the given kind if it cannot be read or holds more than `most` bytes
/// (a device may never end).
Result<std::string> read_text(const std::string& path, ErrorKind kind, std::size_t most);

}  // namespace caucus
