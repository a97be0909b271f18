#include "caucus/result.hpp"

#include <algorithm>

namespace caucus {

std::string Error::line() const {
  std::string text = where.empty() ? what : where + ": " + what;
  if (!expected.empty()) text += "; " + expected;
  // Control characters in a file name or field must not break the line or reach a terminal.
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  return text;
}

}  // namespace caucus
