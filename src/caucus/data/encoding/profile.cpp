#include "caucus/data/encoding/profile.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "caucus/data/files/number.hpp"

namespace caucus {
namespace {

void note_first(std::optional<FoundValue>& first, const std::string& file, std::size_t line,
                std::string_view text) {
  if (!first) first = FoundValue{file + ":" + std::to_string(line), std::string(text)};
}

}  // namespace

double ColumnProfile::deviation() const {
  return numbers > 1 ? std::sqrt(squares / static_cast<double>(numbers - 1)) : 0.0;
}

Status TableProfile::header(const CellHeader& header) {
  decimal_comma_ = header.decimal_comma;
  places_.clear();
  if (columns_.empty()) {
    head_ = header;
    first_file_ = file_;
    columns_.resize(header.columns);
    for (std::size_t c = 0; c < header.columns; ++c) places_.push_back(c);
    return Done{};
  }
  if (head_.names.empty() || header.names.empty()) {
    if (header.columns != head_.columns) {
      return data_error(file_, "has " + std::to_string(header.columns) + " columns",
                        "expected " + std::to_string(head_.columns) + " as in " + first_file_);
    }
    for (std::size_t c = 0; c < header.columns; ++c) places_.push_back(c);
    return Done{};
  }
  for (std::size_t c = 0; c < head_.columns; ++c) {
    const auto& names = header.names;
    if (c < names.size() && names[c] == head_.names[c]) {
      places_.push_back(c);
      continue;
    }
    const auto found = std::find(names.begin(), names.end(), head_.names[c]);
    if (found == names.end()) {
      return data_error(file_, "has no column " + in_quotes(head_.names[c]),
                        "expected the columns of " + first_file_);
    }
    places_.push_back(static_cast<std::size_t>(found - names.begin()));
  }
  return Done{};
}

Status TableProfile::ragged(Error error) {
  if (!keeps_ragged_) return error;
  constexpr std::size_t kMost = 10;
  if (problems_.size() < kMost) problems_.push_back(std::move(error));
  return Done{};
}

Status TableProfile::row(std::span<const std::string_view> cells, std::size_t line) {
  ++rows_;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const bool is_time =
        !time_name_.empty() && !head_.names.empty() && head_.names[c] == time_name_;
    count(columns_[c], cells[places_[c]], line, is_time || time_name_ == std::to_string(c + 1));
  }
  return Done{};
}

void TableProfile::count(ColumnProfile& column, std::string_view cell, std::size_t line,
                         bool may_be_stamp) {
  const std::string_view text = trim(cell);
  if (is_missing(text)) {
    ++column.missing;
    return;
  }
  double number = 0.0;
  const NumberForm form = parse_cell(text, decimal_comma_, number);
  if (form == NumberForm::finite) {
    ++column.numbers;
    column.minimum = std::min(column.minimum, number);
    column.maximum = std::max(column.maximum, number);
    const double from_mean = number - column.mean;
    column.mean += from_mean / static_cast<double>(column.numbers);
    column.squares += from_mean * (number - column.mean);
  } else if (form == NumberForm::not_finite) {
    ++column.not_finite;
    note_first(column.first_not_finite, file_, line, text);
  } else if (is_missing_number(text)) {
    ++column.missing_numbers;
  } else {
    ++column.texts;
    note_first(column.first_text, file_, line, text);
  }
  const std::size_t times = column.times;
  if (form != NumberForm::finite || may_be_stamp) count_time(column, text, may_be_stamp);
  if (column.times == times && form != NumberForm::finite && !is_missing_number(text)) {
    note_first(column.first_not_time, file_, line, text);
  }
  if (form == NumberForm::text && parse_boolean(text)) ++column.booleans;

  const std::size_t most =
      column.texts > 0 ? ColumnProfile::kMostLevels : ColumnProfile::kMostNumbers;
  if (column.levels.size() < most) {
    ++column.levels[std::string(text)];
  } else if (const auto found = column.levels.find(std::string(text));
             found != column.levels.end()) {
    ++found->second;
  } else {
    ++column.others;
  }
}

void TableProfile::count_time(ColumnProfile& column, std::string_view text, bool may_be_stamp) {
  const auto read = may_be_stamp ? parse_time_or_stamp : parse_time;
  const auto month_first = read(text, false);
  const auto day_first = read(text, true);
  if (!month_first && !day_first) return;
  ++column.times;
  column.month_first += month_first ? 1U : 0U;
  column.day_first += day_first ? 1U : 0U;
  const double days = month_first ? *month_first : *day_first;
  column.clocks += days != std::floor(days) ? 1U : 0U;
  column.earliest = std::min(column.earliest, days);
  column.latest = std::max(column.latest, days);
  column.sum_of_times += days;
}

}  // namespace caucus
