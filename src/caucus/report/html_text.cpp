#include "caucus/report/html_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>

#include "caucus/report/text_table.hpp"

namespace caucus::report {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
constexpr std::string_view kMinus = "\xE2\x88\x92";

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

/// Returns the number of bytes of the first code point, or 0 if it is invalid.
std::size_t code_point_length(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  if (first < 0x80U) return 1;
  const std::size_t length = first >= 0xF0U ? 4 : first >= 0xE0U ? 3 : 2;
  if (first < 0xC2U || first > 0xF4U || text.size() < length) return 0;
  std::uint32_t code = first & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if (!is_continuation(text[i])) return 0;
    code = code << 6U | (static_cast<unsigned char>(text[i]) & 0x3FU);
  }
  constexpr std::array<std::uint32_t, 5> kLeast = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code < 0xE000;
  return code < kLeast[length] || code > 0x10FFFF || surrogate ? 0 : length;
}

std::string_view replacement_of(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    case '\n':
    case '\t':
      return {};
    default:
      return static_cast<unsigned char>(c) < 0x20U || c == 0x7F ? kReplacement : std::string_view{};
  }
}

std::string superscript(int exponent) {
  static const std::array<const char*, 10> kDigits = {"⁰", "¹", "²", "³", "⁴",
                                                      "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = exponent < 0 ? "⁻" : "";
  for (const char digit : std::to_string(std::abs(exponent))) {
    text += kDigits[static_cast<std::size_t>(digit - '0')];
  }
  return text;
}

/// "1.2 × 10⁻⁷"; a mantissa of 1 is left out.
std::string power_of_ten(double positive, int digits) {
  char buffer[40];
  const char* end = std::to_chars(buffer, buffer + sizeof buffer, positive,
                                  std::chars_format::scientific, digits - 1)
                        .ptr;
  const std::string_view text(buffer, static_cast<std::size_t>(end - buffer));
  const std::size_t e = text.find('e');
  std::string mantissa(text.substr(0, e));
  if (mantissa.find('.') != std::string::npos) {
    mantissa.erase(mantissa.find_last_not_of('0') + 1);
    if (mantissa.back() == '.') mantissa.pop_back();
  }
  int exponent = 0;
  const std::size_t sign = text[e + 1] == '+' ? 1 : 0;
  std::from_chars(text.data() + e + 1 + sign, end, exponent);
  return (mantissa == "1" ? "" : mantissa + " × ") + "10" + superscript(exponent);
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string safe;
  safe.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = code_point_length(text);
    const std::string_view other = length == 0   ? kReplacement
                                   : length == 1 ? replacement_of(text.front())
                                                 : "";
    safe += other.empty() ? text.substr(0, length) : other;
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return safe;
}

std::size_t letters(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !is_continuation(c); }));
}

std::string shortened(std::string_view text, std::size_t most) {
  if (letters(text) <= most) return std::string(text);
  std::size_t end = 0;
  for (std::size_t kept = 0; end < text.size(); ++end) {
    if (!is_continuation(text[end]) && kept++ + 1 == most) break;
  }
  return std::string(text.substr(0, end)) + "…";
}

std::string figure(double value, int digits) {
  if (std::isnan(value)) return "–";
  const std::string sign(value < 0.0 ? kMinus : "");
  const double size = std::abs(value);
  if (std::isinf(size)) return sign + "∞";
  if (size == 0.0) return "0";
  if (size < 1e-4 || size >= 1e7) return sign + power_of_ten(size, digits);
  if (size >= 999.95) return sign + grouped(static_cast<std::size_t>(std::llround(size)));
  // Two digits of 153 would read 1.5e+02.
  return sign + rounded(size, size >= 100.0 ? std::max(digits, 3) : std::max(digits, 2));
}

std::string figure_with_spread(double value, double spread) {
  if (!std::isfinite(value) || !(spread > 0.0) || !std::isfinite(spread)) return figure(value);
  // The value is rounded at the second digit of the spread, unless that is far from its first
  // digit.
  const int decimals = std::max(0, 1 - static_cast<int>(std::floor(std::log10(spread))));
  const double size = std::abs(value);
  if (decimals == 0 || decimals > 7 || size >= 999.95 || size * std::pow(10.0, decimals) > 1e6) {
    return figure(value) + " ± " + figure(spread, 2);
  }
  const auto fixed = [&](double number) {
    char buffer[40];
    const auto end =
        std::to_chars(buffer, buffer + sizeof buffer, number, std::chars_format::fixed, decimals)
            .ptr;
    return std::string(buffer, end);
  };
  return std::string(value < 0.0 ? kMinus : "") + fixed(size) + " ± " + fixed(spread);
}

}  // namespace caucus::report
