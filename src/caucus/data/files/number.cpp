#include "caucus/data/files/number.hpp"

#include <cstdlib>

namespace caucus {
namespace {

bool starts_like_number(std::string_view text) {
  return !text.empty() && (text[0] == '.' || (text[0] >= '0' && text[0] <= '9'));
}

}  // namespace

NumberForm parse_number(std::string_view text, double& value) {
  if (text.empty()) return NumberForm::empty;
  const char* const text_end = text.data() + text.size();
  double plain = 0.0;
  if (parse_plain_number(text.data(), text_end, plain) == text_end) {
    value = plain;
    return NumberForm::finite;
  }
  std::string_view digits = text;
  if (digits[0] == '+' || digits[0] == '-') digits.remove_prefix(1);
  const bool negative = text[0] == '-';
  const char* last = digits.data() + digits.size();
  double magnitude = 0.0;
  const auto [end, code] = std::from_chars(digits.data(), last, magnitude);
  if (digits.empty() || digits[0] == '-' || end != last || code == std::errc::invalid_argument) {
    return NumberForm::text;
  }
  if (!starts_like_number(digits)) return NumberForm::not_finite;
  if (code == std::errc::result_out_of_range) {  // overflow or underflow; strtod distinguishes them
    magnitude = std::strtod(std::string(digits).c_str(), nullptr);
  }
  value = negative ? -magnitude : magnitude;
  return std::isfinite(value) ? NumberForm::finite : NumberForm::not_finite;
}

Error number_error(std::string where, NumberForm form, std::string_view text) {
  if (form == NumberForm::not_finite) {
    return data_error(std::move(where), in_quotes(text) + " is not finite",
                      "expected a number within the range of doubles");
  }
  const bool empty = form == NumberForm::empty;
  return data_error(std::move(where), empty ? "is empty" : in_quotes(text) + " is not a number",
                    "expected a number");
}

bool parse_count(std::string_view text, std::size_t& value) {
  const char* last = text.data() + text.size();
  const auto [end, code] = std::from_chars(text.data(), last, value);
  return code == std::errc{} && end == last;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kShown = 40;
  std::string out = "'";
  out.append(text.substr(0, kShown)).append(text.size() <= kShown ? "'" : "...'");
  return out;
}

std::string csv_name(std::string_view name) {
  double number = 0.0;
  const bool plain = name.find_first_of(",;\t\r\"") == std::string_view::npos &&
                     trim(name).size() == name.size() &&
                     parse_number(name, number) == NumberForm::text;
  if (plain) return std::string(name);
  std::string out = "\"";
  for (const char c : name) out.append(c == '"' ? 2 : 1, c);
  out += '"';
  return out;
}

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

}  // namespace caucus
