#include "options/plain_toml.hpp"

#include <array>
#include <charconv>
#include <cstdint>
#include <sstream>

namespace caucus::cli {
namespace {

/// Returns the UTF-8 letter at line[at] as \UXXXXXXXX and moves `at` to its last byte. Returns an
/// empty text if these bytes are not UTF-8.
std::string escaped_letter(const std::string& line, std::size_t& at) {
  const auto byte = [&](std::size_t i) {
    return i < line.size() ? static_cast<unsigned char>(line[i]) : 0U;
  };
  const unsigned first = byte(at);
  const std::size_t more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
  std::uint32_t letter = first & (0x3FU >> more);
  if (first < 0xC2 || first > 0xF4) return {};
  for (std::size_t i = 1; i <= more; ++i) {
    if ((byte(at + i) & 0xC0U) != 0x80U) return {};
    letter = (letter << 6U) | (byte(at + i) & 0x3FU);
  }
  static constexpr std::array<std::uint32_t, 4> kLeast = {0, 0x80, 0x800, 0x10000};
  const bool surrogate = letter >= 0xD800 && letter <= 0xDFFF;
  if (letter < kLeast[more] || letter > 0x10FFFF || surrogate) return {};
  at += more;
  std::array<char, 8> hex{};
  const auto end = std::to_chars(hex.data(), hex.data() + hex.size(), letter, 16).ptr;
  const std::string digits(hex.data(), end);
  return "\\U" + std::string(8 - digits.size(), '0') + digits;
}

/// Rewrites one line in ASCII. The caller sets `where` in an error.
Result<std::string> plain_line(const std::string& line) {
  std::string plain;
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    const bool ascii = (static_cast<unsigned char>(c) & 0x80U) == 0;
    if (quote == 0 && c == '#') break;  // the rest is a comment
    if (!ascii) {
      const std::string letter = quote == '"' ? escaped_letter(line, i) : std::string();
      if (letter.empty()) {
        return usage_error("", "a character that is not ASCII",
                           "expected such characters in double quotes and in UTF-8");
      }
      plain += letter;
      continue;
    }
    if (quote == 0 && c < ' ' && c != '\t' && c != '\r') {
      return usage_error("", "a control character", "expected text");
    }
    plain += c;
    if (quote == '"' && c == '\\' && i + 1 < line.size() && line[i + 1] > 0) {
      plain += line[++i];
    } else if (quote == 0 ? c == '"' || c == '\'' : c == quote) {
      quote = quote == 0 ? c : '\0';
    }
  }
  return plain;
}

}  // namespace

Result<std::string> plain_toml(const std::string& text, const std::string& file) {
  std::istringstream lines(text);
  std::string plain;
  std::string line;
  for (std::size_t number = 1; std::getline(lines, line); ++number) {
    const std::string where = file + ":" + std::to_string(number);
    if (number == 1 && line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);
    if (line.find("\"\"\"") != std::string::npos || line.find("'''") != std::string::npos) {
      return usage_error(where, "a text in triple quotes", "expected texts on one line");
    }
    auto result = plain_line(line);
    if (!result.ok()) {
      result.error().where = where;
      return result;
    }
    plain += *result + "\n";
  }
  return plain;
}

}  // namespace caucus::cli
