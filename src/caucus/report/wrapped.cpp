#include "caucus/report/wrapped.hpp"

#include <algorithm>

#include "caucus/report/html_text.hpp"

namespace caucus::report {
namespace {

/// Returns the number of bytes of the first `count` letters.
std::size_t bytes_of(std::string_view text, std::size_t count) {
  std::size_t end = 0;
  while (end < text.size() && letters(text.substr(0, end + 1)) <= count) ++end;
  return end;
}

std::string wrapped_line(std::string_view text, std::size_t width, std::size_t indent) {
  const std::size_t room_later = std::max<std::size_t>(1, width - std::min(width, indent));
  std::string lines;
  std::size_t room = std::max<std::size_t>(1, width);
  std::size_t used = 0;
  const auto new_line = [&] {
    lines += "\n" + std::string(width - std::min(width, room_later), ' ');
    room = room_later;
    used = 0;
  };
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(text.size(), end + 1));
    if (used > 0 && used + 1 + letters(word) > room) {
      new_line();
    } else if (used > 0) {
      lines += ' ';
      ++used;
    }
    while (used + letters(word) > room) {
      const std::size_t part = bytes_of(word, room - used);
      lines += word.substr(0, part);
      word.remove_prefix(part);
      new_line();
    }
    lines += word;
    used += letters(word);
  }
  return lines;
}

}  // namespace

std::string wrapped(std::string_view text, std::size_t width, std::size_t indent) {
  std::string all;
  for (;;) {
    const std::size_t end = text.find('\n');
    all += wrapped_line(text.substr(0, end), width, indent);
    if (end == std::string_view::npos) return all;
    all += '\n';
    text.remove_prefix(end + 1);
  }
}

}  // namespace caucus::report
