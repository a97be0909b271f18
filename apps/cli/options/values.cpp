#include "options/values.hpp"

#include <charconv>
#include <cmath>
#include <system_error>

namespace caucus::cli {
namespace {

Error wrong(const std::string& text, const char* expected) {
  return usage_error("", "'" + text + "' is not valid", expected);
}

template <class Number>
bool read_all(const std::string& text, Number& number) {
  const char* last = text.data() + text.size();
  const auto [end, code] = std::from_chars(text.data(), last, number);
  return code == std::errc{} && end == last && !text.empty();
}

/// 0.1:1:10 means 0.1, 0.2, 0.3, ..., not 0.30000000000000004.
double twelve_digits(double value) {
  char buffer[40];
  const auto end =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, 12).ptr;
  std::from_chars(buffer, end, value);
  return value;
}

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

}  // namespace

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (;;) {
    const auto end = text.find(separator, begin);
    parts.push_back(trimmed(text.substr(begin, end - begin)));
    if (end == std::string::npos) return parts;
    begin = end + 1;
  }
}

Result<double> parse_number(const std::string& text) {
  double number = 0.0;
  if (!read_all(text, number) || !std::isfinite(number)) return wrong(text, "expected a number");
  return number;
}

Result<double> parse_number_or_infinity(const std::string& text) {
  double number = 0.0;
  if (!read_all(text, number) || std::isnan(number)) return wrong(text, "expected a number or inf");
  return number;
}

Result<std::uint64_t> parse_count(const std::string& text) {
  std::uint64_t number = 0;
  if (!read_all(text, number)) return wrong(text, "expected a whole number");
  return number;
}

Result<bool> parse_switch(const std::string& text) {
  if (text == "true") return true;
  if (text == "false") return false;
  return wrong(text, "expected true or false");
}

Result<std::pair<double, double>> parse_interval(const std::string& text) {
  const auto parts = split(text, ',');
  double a = 0.0;
  double b = 0.0;
  if (parts.size() != 2 || !read_all(parts[0], a) || !read_all(parts[1], b) || !std::isfinite(a) ||
      !std::isfinite(b) || !(a < b)) {
    return wrong(text, "expected A,B with A < B, as in 0,1");
  }
  return std::pair(a, b);
}

Result<std::vector<double>> parse_numbers(const std::string& text) {
  constexpr std::size_t kMost = 1'000'000;
  const char* expected = "expected numbers A,B,... or FROM:TO:COUNT, at most a million";
  std::vector<double> numbers;
  if (text.find(':') != std::string::npos) {
    const auto parts = split(text, ':');
    double from = 0.0;
    double to = 0.0;
    std::size_t count = 0;
    if (parts.size() != 3 || !read_all(parts[0], from) || !read_all(parts[1], to) ||
        !read_all(parts[2], count) || count == 0 || count > kMost || !std::isfinite(from) ||
        !std::isfinite(to)) {
      return wrong(text, expected);
    }
    const double last = static_cast<double>(count) - 1.0;
    for (std::size_t i = 0; i < count; ++i) {
      const auto k = static_cast<double>(i);
      numbers.push_back(count == 1 ? from : twelve_digits((from * (last - k) + to * k) / last));
    }
    return numbers;
  }
  for (const std::string& part : split(text, ',')) {
    double number = 0.0;
    if (!read_all(part, number) || std::isnan(number)) return wrong(text, expected);
    numbers.push_back(number);
  }
  return numbers;
}

Result<std::pair<std::size_t, std::size_t>> parse_columns(const std::string& text) {
  const auto dots = text.find("..");
  std::size_t first = 0;
  std::size_t last = 0;
  const bool single = dots == std::string::npos;
  if (!read_all(single ? text : text.substr(0, dots), first) ||
      !read_all(single ? text : text.substr(dots + 2), last) || first == 0 || last < first ||
      last > 1'000'000) {
    return wrong(text, "expected A..B, columns counted from 1, at most a million");
  }
  return std::pair(first, last);
}

}  // namespace caucus::cli
