// Reads a small file into a string.
#pragma once

#include <cstddef>
#include <string>

#include "caucus/result.hpp"

namespace caucus {

/// Returns the content of the file. A file that cannot be read, or has more than `most` bytes (a
/// device may never end), is an error of the given kind.
Result<std::string> read_text(const std::string& path, ErrorKind kind, std::size_t most);

}  // namespace caucus
