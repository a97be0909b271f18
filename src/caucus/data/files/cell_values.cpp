#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "caucus/data/files/cells.hpp"
#include "caucus/data/files/line_reader.hpp"

namespace caucus {
namespace {

template <std::size_t n>
bool is_one_of(std::string_view cell, const std::array<std::string_view, n>& words) {
  constexpr std::size_t kLongest = 7;
  const std::string_view text = trim(cell);
  if (text.size() > kLongest) return false;
  const std::string lower = lower_case(text);
  return std::find(words.begin(), words.end(), lower) != words.end();
}

constexpr std::array<std::string_view, 8> kMissing = {"",    "na",   "n/a",    "#n/a",
                                                      "nan", "null", "<null>", "?"};
constexpr std::array<std::string_view, 7> kMissingNumber = {"none", "nil",  "-",      "--",
                                                            ".",    "-nan", "missing"};

/// Takes tokens from the front of a text.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  [[nodiscard]] bool done() const { return rest_.empty(); }
  [[nodiscard]] char front() const { return rest_.empty() ? '\0' : rest_[0]; }

  bool take(char c) {
    if (front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void skip_spaces() {
    while (front() == ' ') rest_.remove_prefix(1);
  }
  /// Takes up to `most` digits; returns how many.
  std::size_t take_digits(std::size_t most, int& value) {
    std::size_t count = 0;
    value = 0;
    while (count < most && front() >= '0' && front() <= '9') {
      value = 10 * value + (front() - '0');
      rest_.remove_prefix(1);
      ++count;
    }
    return count;
  }
  std::string take_letters() {
    const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    const auto end = std::find_if_not(rest_.begin(), rest_.end(), letter);
    const auto length = static_cast<std::size_t>(end - rest_.begin());
    std::string word = lower_case(rest_.substr(0, length));
    rest_.remove_prefix(length);
    return word;
  }

 private:
  std::string_view rest_;
};

std::optional<double> days_of(int year, int month, int day) {
  if (year < 1000 || year > 9999 || month < 1 || day < 1) return {};
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return {};
  return static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count());
}

int month_of(const std::string& word) {
  constexpr std::array<std::string_view, 12> kMonths = {"jan", "feb", "mar", "apr", "may", "jun",
                                                        "jul", "aug", "sep", "oct", "nov", "dec"};
  if (word.size() < 3) return 0;
  const auto found = std::find(kMonths.begin(), kMonths.end(), word.substr(0, 3));
  return found == kMonths.end() ? 0 : static_cast<int>(found - kMonths.begin()) + 1;
}

std::optional<double> take_date(Scanner& in, bool day_first) {
  int first = 0;
  int second = 0;
  int third = 0;
  const std::size_t digits = in.take_digits(4, first);
  const char separator = in.front();
  if (digits == 0 || digits == 3 || std::string_view("-/. ").find(separator) == std::string::npos ||
      !in.take(separator)) {
    return {};
  }
  if (in.front() >= 'A') {  // 01-Mar-2013
    second = month_of(in.take_letters());
    if (digits == 4 || !in.take(separator) || in.take_digits(4, third) != 4) return {};
    return days_of(third, second, first);
  }
  if (separator == ' ' || in.take_digits(2, second) == 0 || !in.take(separator)) return {};
  const std::size_t last = in.take_digits(4, third);
  if (digits == 4) return last == 1 || last == 2 ? days_of(first, second, third) : std::nullopt;
  if (last == 2) third += third < 70 ? 2000 : 1900;
  if (last != 2 && last != 4) return {};
  const bool day = day_first || separator == '.';
  return day ? days_of(third, second, first) : days_of(third, first, second);
}

/// Takes HH:MM[:SS[.fff]] [AM|PM] [Z|+HH[:]MM] and returns it as a part of the day.
std::optional<double> take_clock(Scanner& in) {
  int hour = 0;
  int minute = 0;
  int second = 0;
  double fraction = 0.0;
  if (in.take_digits(2, hour) == 0 || !in.take(':') || in.take_digits(2, minute) != 2) return {};
  if (in.take(':')) {
    if (in.take_digits(2, second) != 2) return {};
    if (in.take('.') || in.take(',')) {
      int digits = 0;
      const std::size_t count = in.take_digits(9, digits);
      fraction = digits / std::pow(10.0, static_cast<double>(count));
    }
  }
  in.skip_spaces();
  const std::string word = in.take_letters();
  if (word == "am" || word == "pm") {
    if (hour < 1 || hour > 12) return {};
    hour = hour % 12 + (word == "pm" ? 12 : 0);
  } else if (!word.empty() && word != "z" && word != "utc" && word != "gmt") {
    return {};
  }
  if (in.front() == '+' || in.front() == '-') {
    int ignored = 0;
    in.take(in.front());
    if (in.take_digits(2, ignored) != 2) return {};
    in.take(':');
    in.take_digits(2, ignored);
  }
  if (hour > 24 || minute > 59 || second > 60) return {};
  return (hour + minute / 60.0 + (second + fraction) / 3600.0) / 24.0;
}

}  // namespace

bool is_missing(std::string_view cell) { return is_one_of(cell, kMissing); }

bool is_missing_number(std::string_view cell) {
  return is_missing(cell) || is_one_of(cell, kMissingNumber);
}

std::optional<bool> parse_boolean(std::string_view cell) {
  constexpr std::array<std::string_view, 4> kTrue = {"true", "yes", "t", "y"};
  constexpr std::array<std::string_view, 4> kFalse = {"false", "no", "f", "n"};
  if (is_one_of(cell, kTrue)) return true;
  if (is_one_of(cell, kFalse)) return false;
  return {};
}

NumberForm parse_cell(std::string_view cell, bool decimal_comma, double& value) {
  const std::string_view text = trim(cell);
  const NumberForm form = parse_number(text, value);
  const std::size_t comma = text.find(',');
  if (form != NumberForm::text || !decimal_comma || comma == std::string_view::npos) return form;
  std::string with_point(text);
  with_point[comma] = '.';
  return parse_number(with_point, value);
}

std::optional<double> parse_time(std::string_view text, bool day_first) {
  constexpr std::size_t kShortest = 4;
  constexpr std::size_t kLongest = 40;
  text = trim(text);
  if (text.size() < kShortest || text.size() > kLongest || text[0] < '0' || text[0] > '9')
    return {};
  const bool only_clock = text[1] == ':' || text[2] == ':';
  Scanner in(text);
  double days = 0.0;
  if (!only_clock) {
    const auto date = take_date(in, day_first);
    if (!date) return {};
    days = *date;
    if (in.done()) return days;
    if (!in.take('T') && !in.take('t') && !in.take(',') && in.front() != ' ') return {};
    in.skip_spaces();
  }
  const auto clock = take_clock(in);
  if (!clock || !in.done()) return {};
  return days + *clock;
}

std::optional<double> parse_time_or_stamp(std::string_view text, bool day_first) {
  double number = 0.0;
  if (parse_number(trim(text), number) != NumberForm::finite) return parse_time(text, day_first);
  if (number >= 1e7 && number < 1e8 && number == std::floor(number)) {  // YYYYMMDD
    const auto digits = static_cast<int>(number);
    if (const auto days = days_of(digits / 10000, digits / 100 % 100, digits % 100)) return days;
  }
  constexpr double kMilliseconds = 1e11;  // in seconds this is the year 5138
  constexpr double kMost = 1e14;          // in milliseconds this is the same year
  if (std::abs(number) > kMost) return {};
  constexpr double kSecondsPerDay = 86400.0;
  return (std::abs(number) >= kMilliseconds ? number / 1000.0 : number) / kSecondsPerDay;
}

}  // namespace caucus
