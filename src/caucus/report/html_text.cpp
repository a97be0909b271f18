#include "caucus/report/html_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "caucus/report/json.hpp"
#include "caucus/report/text_table.hpp"

namespace caucus::report {
namespace {

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

bool is_control(char c) {
  return (static_cast<unsigned char>(c) < 0x20U && c != '\n' && c != '\t') || c == 0x7F;
}

std::string sign_of(double value) { return value < 0.0 ? "−" : ""; }

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
  const std::string text = digits_of(positive, std::chars_format::scientific, digits - 1);
  const std::size_t e = text.find('e');
  std::string mantissa = text.substr(0, e);
  if (mantissa.find('.') != std::string::npos) {
    mantissa.erase(mantissa.find_last_not_of('0') + 1);
    if (mantissa.back() == '.') mantissa.pop_back();
  }
  return (mantissa == "1" ? "" : mantissa + " × ") + "10" +
         superscript(std::stoi(text.substr(e + 1)));
}

}  // namespace

std::string escaped(std::string_view text) {
  static const std::map<char, const char*> entities = {
      {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
  // Writing a text as JSON replaces what is not UTF-8.
  const auto valid = Json::parse(json_text(Json(text), -1)).get<std::string>();
  std::string safe;
  safe.reserve(valid.size());
  for (const char c : valid) {
    if (const auto entity = entities.find(c); entity != entities.end()) {
      safe += entity->second;
    } else if (is_control(c)) {
      safe += "\xEF\xBF\xBD";
    } else {
      safe += c;
    }
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
  const std::string sign = sign_of(value);
  const double size = std::abs(value);
  if (std::isinf(size)) return sign + "∞";
  if (size == 0.0) return "0";
  constexpr double kRounding = 1e-12;  // less is a rounding error or a power of a small share
  if (size < kRounding) return value > 0.0 ? "< 1e-6" : "> −1e-6";
  if (size < 1e-4 || size >= 1e7) return sign + power_of_ten(size, digits);
  if (size >= 999.95) return sign + grouped(static_cast<std::size_t>(std::llround(size)));
  // Two digits of 153 would read 1.5e+02.
  return sign + rounded(size, size >= 100.0 ? std::max(digits, 3) : std::max(digits, 2));
}

std::string fixed(double value, int decimals) {
  return sign_of(value) + digits_of(std::abs(value), std::chars_format::fixed, decimals);
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
  return fixed(value, decimals) + " ± " + fixed(spread, decimals);
}

}  // namespace caucus::report
