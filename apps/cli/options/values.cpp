#include "options/values.hpp"

#include <charconv>
#include <cmath>
#include <system_error>

#include "caucus/data/columns.hpp"
#include "caucus/data/files/number.hpp"
#include "caucus/report/text_table.hpp"

namespace caucus::cli {
namespace {

template <class Number>
bool read_all(const std::string& text, Number& number) {
  const char* last = text.data() + text.size();
  const auto [end, code] = std::from_chars(text.data(), last, number);
  return code == std::errc{} && end == last && !text.empty();
}

/// 0.1:1:10 means 0.1, 0.2, 0.3, ..., not 0.30000000000000004.
double twelve_digits(double value) {
  read_all(report::rounded(value, 12), value);
  return value;
}

}  // namespace

Error not_valid(const std::string& text, const std::string& expected) {
  return usage_error("", "'" + text + "' is not valid", expected);
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (;;) {
    const auto end = text.find(separator, begin);
    parts.emplace_back(trim(std::string_view(text).substr(begin, end - begin)));
    if (end == std::string::npos) return parts;
    begin = end + 1;
  }
}

Result<double> parse_number(const std::string& text) {
  double number = 0.0;
  if (!read_all(text, number) || !std::isfinite(number))
    return not_valid(text, "expected a number");
  return number;
}

Result<double> parse_number_or_infinity(const std::string& text) {
  double number = 0.0;
  if (!read_all(text, number) || std::isnan(number))
    return not_valid(text, "expected a number or inf");
  return number;
}

Result<std::uint64_t> parse_count(const std::string& text) {
  std::uint64_t number = 0;
  if (!read_all(text, number)) return not_valid(text, "expected a whole number");
  return number;
}

Result<bool> parse_switch(const std::string& text) {
  if (text == "true") return true;
  if (text == "false") return false;
  return not_valid(text, "expected true or false");
}

Result<std::pair<double, double>> parse_interval(const std::string& text) {
  const auto parts = split(text, ',');
  const auto a = parse_number(parts.front());
  const auto b = parse_number(parts.back());
  if (parts.size() == 2 && a.ok() && b.ok() && *a < *b) return std::pair(*a, *b);
  return not_valid(text, "expected A,B with A < B, as in 0,1");
}

Result<std::vector<double>> parse_numbers(const std::string& text) {
  constexpr std::size_t kMost = 1'000'000;
  const char* expected = "expected numbers A,B,... or FROM:TO:COUNT, at most a million";
  std::vector<double> numbers;
  if (text.find(':') != std::string::npos) {
    const auto parts = split(text, ':');
    const auto from = parse_number(parts.front());
    const auto to = parse_number(parts[1]);
    std::size_t count = 0;
    if (parts.size() != 3 || !from.ok() || !to.ok() || !read_all(parts[2], count) || count == 0 ||
        count > kMost) {
      return not_valid(text, expected);
    }
    const double last = static_cast<double>(count) - 1.0;
    for (std::size_t i = 0; i < count; ++i) {
      const auto k = static_cast<double>(i);
      numbers.push_back(count == 1 ? *from : twelve_digits((*from * (last - k) + *to * k) / last));
    }
    return numbers;
  }
  for (const std::string& part : split(text, ',')) {
    const auto number = parse_number_or_infinity(part);
    if (!number.ok()) return not_valid(text, expected);
    numbers.push_back(*number);
  }
  return numbers;
}

Result<std::vector<std::string>> parse_columns(const std::string& text) {
  constexpr std::size_t kMost = 1'000'000;
  auto words = split(text, ',');
  for (const std::string& word : words) {
    const auto range = column_range(word);
    const bool valid =
        range ? 1 <= range->first && range->first <= range->second && range->second <= kMost
              : !word.empty();
    if (!valid) {
      return not_valid(text,
                       "expected names or numbers of columns, or A..B, columns counted from 1, "
                       "at most a million");
    }
  }
  return words;
}

}  // namespace caucus::cli
