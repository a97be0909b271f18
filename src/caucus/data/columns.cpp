#include "caucus/data/columns.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "caucus/data/files/line_reader.hpp"
#include "caucus/data/files/number.hpp"

namespace caucus {
namespace {

std::string known_columns(const std::string& word, const TableHeader& header) {
  const std::string numbers = "a number from 1 to " + std::to_string(header.columns);
  if (header.names.empty()) return "expected " + numbers + " (the file has no column names)";
  std::string listed;
  constexpr std::size_t kListed = 12;
  for (std::size_t k = 0; k < std::min(header.names.size(), kListed); ++k) {
    listed += (k > 0 ? ", " : "") + in_quotes(header.names[k]);
  }
  if (header.names.size() > kListed) listed += ", ...";
  const auto guess = nearest(word, header.names);
  return (guess ? "did you mean " + in_quotes(*guess) + "? Expected " : "expected ") + numbers +
         " or one of " + listed;
}

Status check_interval(const std::optional<Interval>& range, const char* name) {
  if (!range) return Done{};
  const auto [a, b] = *range;
  if (std::isfinite(a) && std::isfinite(b) && std::isfinite(b - a) && a < b) return Done{};
  return usage_error(name, in_quotes(to_text(a) + "," + to_text(b)),
                     "expected finite A,B with A < B");
}

// Returns (raw - minimum) / (maximum - minimum), also if a difference exceeds the largest double.
double fraction(double minimum, double maximum, double raw) {
  const double width = maximum - minimum;
  const double part = raw - minimum;
  if (std::isfinite(width) && std::isfinite(part)) return part / width;
  return (raw / 2 - minimum / 2) / (maximum / 2 - minimum / 2);
}

Interval interval(const std::optional<Interval>& range, double minimum, double maximum) {
  if (!range) return {minimum, maximum};
  return minimum == maximum ? Interval{0.0, 0.0} : *range;
}

/// Returns the columns, counted from 0, that a word names.
Result<std::vector<std::size_t>> expert_columns_of(const std::string& word,
                                                   const TableHeader& header,
                                                   const std::string& file) {
  const auto range = column_range(word);
  if (!range) {
    CAUCUS_TRY(const std::size_t column, find_column(word, header, "expert", file));
    return std::vector{column};
  }
  const auto [first, last] = *range;
  if (first == 0 || first > last) {
    return usage_error("expert_columns", in_quotes(word), "expected A..B with 1 <= A <= B");
  }
  if (last > header.columns) {
    return data_error(
        file, "has " + std::to_string(header.columns) + " columns",
        "expected experts in columns " + std::to_string(first) + " to " + std::to_string(last));
  }
  std::vector<std::size_t> columns(last - first + 1);
  std::iota(columns.begin(), columns.end(), first - 1);
  return columns;
}

Status assign_experts(const ReadOptions& options, const TableHeader& header,
                      const std::string& file, Scaling& scaling) {
  std::vector<bool> named(header.columns, false);
  for (const std::string& word : options.expert_columns) {
    CAUCUS_TRY(const auto columns, expert_columns_of(word, header, file));
    for (const std::size_t column : columns) {
      const auto wrong = [&](const std::string& what) {
        return usage_error("expert_columns", "column " + std::to_string(column + 1) + what,
                           "expected columns that hold experts' predictions only");
      };
      if (column == scaling.target_column) return wrong(" is the target column");
      if (column == scaling.client_column) return wrong(" is the client column");
      if (named[column]) return wrong(" is named twice");
      named[column] = true;
      scaling.expert_columns.push_back(column);
    }
  }
  return Done{};
}

}  // namespace

Status ReadOptions::validate() const {
  CAUCUS_CHECK(check_interval(feature_range, "feature_range"));
  return check_interval(label_range, "label_range");
}

Result<std::size_t> find_column(const std::string& word, const TableHeader& header,
                                const std::string& role, const std::string& file) {
  if (word == "first") return std::size_t{0};
  if (word == "last") return header.columns - 1;
  std::size_t number = 0;
  if (parse_count(word, number) && number >= 1 && number <= header.columns) return number - 1;
  const auto begin = header.names.begin();
  const auto found = std::find(begin, header.names.end(), word);
  if (found == header.names.end()) {
    return data_error(file, "has no " + role + " column " + in_quotes(word),
                      known_columns(word, header));
  }
  if (std::find(found + 1, header.names.end(), word) != header.names.end()) {
    return data_error(file, "has more than one column named " + in_quotes(word),
                      "expected the number of the " + role + " column");
  }
  return static_cast<std::size_t>(found - begin);
}

std::optional<std::pair<std::size_t, std::size_t>> column_range(const std::string& word) {
  const auto dots = word.find("..");
  std::pair<std::size_t, std::size_t> range;
  if (dots == std::string::npos || !parse_count(word.substr(0, dots), range.first) ||
      !parse_count(word.substr(dots + 2), range.second)) {
    return std::nullopt;
  }
  return range;
}

Result<Scaling> assign_columns(const ReadOptions& options, const TableHeader& header,
                               const std::string& file) {
  Scaling scaling;
  scaling.columns = header.columns;
  CAUCUS_TRY(scaling.target_column, find_column(options.target, header, "target", file));
  if (options.client_column) {
    CAUCUS_TRY(scaling.client_column, find_column(*options.client_column, header, "client", file));
  }
  CAUCUS_CHECK(assign_experts(options, header, file, scaling));
  std::vector<bool> is_feature(header.columns, true);
  is_feature[scaling.target_column] = false;
  if (scaling.client_column) is_feature[*scaling.client_column] = false;
  for (const std::size_t column : scaling.expert_columns) {
    is_feature[column] = options.experts_are_features;
  }
  for (std::size_t column = 0; column < header.columns; ++column) {
    if (is_feature[column]) scaling.feature_columns.push_back(column);
  }
  if (scaling.feature_columns.empty() && scaling.expert_columns.empty()) {
    return data_error(file, "has no column left for a feature",
                      "expected at least one feature beside the target");
  }
  return scaling;
}

Status same_columns(const TableHeader& header, const std::string& file, const TableHeader& first,
                    const std::string& first_file) {
  if (header.columns != first.columns) {
    return data_error(file, "has " + std::to_string(header.columns) + " columns",
                      "expected " + std::to_string(first.columns) + " as in " + first_file);
  }
  if (header.names.empty() || first.names.empty()) return Done{};
  for (std::size_t k = 0; k < header.columns; ++k) {
    if (header.names[k] == first.names[k]) continue;
    return data_error(column_where(file, k + 1), "is named " + in_quotes(header.names[k]),
                      "expected " + in_quotes(first.names[k]) + " as in " + first_file);
  }
  return Done{};
}

double scale_to(Interval to, double minimum, double maximum, double raw) {
  if (minimum == maximum) return 0.0;
  return to.first + (to.second - to.first) * fraction(minimum, maximum, raw);
}

double Scaling::feature(std::size_t k, double raw) const {
  const std::size_t column = feature_columns[k];
  return feature_range ? scale_to(*feature_range, minimum[column], maximum[column], raw) : raw;
}

double Scaling::target(double raw) const {
  if (!label_range) return raw;
  return scale_to(*label_range, minimum[target_column], maximum[target_column], raw);
}

double Scaling::target_original(double scaled) const {
  if (!label_range) return scaled;
  const auto [a, b] = *label_range;
  const double low = minimum[target_column];
  const double high = maximum[target_column];
  if (low == high) return low;
  const double part = (scaled - a) / (b - a);
  return low * (1.0 - part) + high * part;
}

Interval Scaling::feature_interval(std::size_t k) const {
  const std::size_t column = feature_columns[k];
  return interval(feature_range, minimum[column], maximum[column]);
}

Interval Scaling::target_interval() const {
  return interval(label_range, minimum[target_column], maximum[target_column]);
}

Interval Scaling::expert_interval(std::size_t k) const {
  const std::size_t column = expert_columns[k];
  return {target(minimum[column]), target(maximum[column])};
}

}  // namespace caucus
