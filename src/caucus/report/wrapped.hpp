// Breaks text into lines for a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace caucus::report {

/// Breaks the text at spaces so that no line has more than `width` letters. Lines after the first
/// begin with `indent` spaces. A word that is longer than a line is broken too. Line breaks of the
/// text remain.
std::string wrapped(std::string_view text, std::size_t width, std::size_t indent = 0);

}  // namespace caucus::report
