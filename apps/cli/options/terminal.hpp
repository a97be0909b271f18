// The width of the user's terminal.
#pragma once

#include <cstddef>

namespace caucus::cli {

/// Returns the number of letters in a line of the terminal behind a file descriptor, but at least
/// 40; 80 if there is no terminal.
std::size_t terminal_width(int descriptor);

}  // namespace caucus::cli
