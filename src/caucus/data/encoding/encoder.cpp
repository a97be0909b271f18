#include "caucus/data/encoding/encoder.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "caucus/core/base/fingerprint.hpp"
#include "caucus/data/files/line_reader.hpp"
#include "caucus/data/files/number.hpp"

namespace caucus {
namespace {

using Kind = Encoding::Kind;
using Role = Encoding::Role;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Returns the part of a day, week or year that has passed, in [0, 1).
double part_passed(const std::string& part, double days) {
  const double whole = std::floor(days);
  if (part == "hour") return days - whole;
  if (part == "weekday") {  // day 0 is a Thursday
    const double since_monday = days + 3.0;
    return since_monday / 7.0 - std::floor(since_monday / 7.0);
  }
  using std::chrono::sys_days;
  const std::chrono::year_month_day date(sys_days(std::chrono::days(static_cast<int>(whole))));
  const auto first = sys_days(date.year() / std::chrono::January / 1).time_since_epoch().count();
  constexpr double kDaysPerYear = 366.0;
  return (days - static_cast<double>(first)) / kDaysPerYear;
}

void append_time(const Encoding& encoding, double days, bool missing, std::vector<double>& row) {
  for (const std::string& part : encoding.levels) {
    if (part == "trend") {
      row.push_back(missing ? encoding.fill : days);
      continue;
    }
    const double angle = missing ? 0.0 : 2.0 * std::numbers::pi * part_passed(part, days);
    row.push_back(missing ? 0.0 : std::sin(angle));
    row.push_back(missing ? 0.0 : std::cos(angle));
  }
}

const char* kind_word(Kind kind) {
  return kind == Kind::number ? "a number"
         : kind == Kind::time ? "a date or time"
                              : "true or false";
}

}  // namespace

Encoder::Encoder(std::vector<Encoding> encodings, EncoderOptions options)
    : encodings_(std::move(encodings)), options_(options), levels_(encodings_.size()) {
  for (std::size_t e = 0; e < encodings_.size(); ++e) {
    if (encodings_[e].role == Role::target) target_ = e;
    if (encodings_[e].kind != Kind::category) continue;
    for (const std::string& level : encodings_[e].levels) {
      levels_[e].emplace(level, levels_[e].size());
    }
  }
  if (options_.lags > 0) lagged_ = lagged_encodings(encodings_);
}

Status Encoder::begin(const CellHeader& header, const std::string& file) {
  file_ = file;
  header_ = {header.names, header.columns};
  decimal_comma_ = header.decimal_comma;
  places_.assign(encodings_.size(), std::nullopt);
  pasts_.clear();
  const bool named = !header.names.empty() &&
                     std::any_of(encodings_.begin(), encodings_.end(),
                                 [](const Encoding& encoding) { return !encoding.name.empty(); });
  return named ? find_by_name(header) : find_by_place(header);
}

TableHeader Encoder::encoded_header() const {
  TableHeader encoded;
  const bool named = std::any_of(encodings_.begin(), encodings_.end(),
                                 [](const Encoding& encoding) { return !encoding.name.empty(); });
  for (const EncodedColumn& column : encoded_columns(encodings_, options_.lags)) {
    ++encoded.columns;
    if (named) encoded.names.push_back(column.name);
  }
  return encoded;
}

Status Encoder::find_by_name(const CellHeader& header) {
  for (std::size_t e = 0; e < encodings_.size(); ++e) {
    const Encoding& encoding = encodings_[e];
    if (encoding.role == Role::ignored) continue;
    const auto& names = header.names;
    const auto found = std::find(names.begin(), names.end(), encoding.name);
    if (found != names.end()) {
      places_[e] = static_cast<std::size_t>(found - names.begin());
      const bool again = std::find(found + 1, names.end(), encoding.name) != names.end();
      if (again && e < names.size() && names[e] == encoding.name) {
        places_[e] = e;  // as in the file that was learned from
      } else if (again) {
        return data_error(file_, "has more than one column named " + in_quotes(encoding.name),
                          "expected one");
      }
      continue;
    }
    const bool optional = encoding.role == Role::target || encoding.role == Role::client;
    if (optional && options_.target_may_be_missing) continue;
    const auto guess = nearest(encoding.name, names);
    return data_error(file_, "has no column " + in_quotes(encoding.name),
                      guess ? "did you mean " + in_quotes(*guess) + "?"
                            : "expected the columns of the other data");
  }
  return Done{};
}

Status Encoder::find_by_place(const CellHeader& header) {
  const std::size_t columns = encodings_.size();
  const bool all = header.columns == columns;
  if (!all && (!options_.target_may_be_missing || header.columns + 1 != columns)) {
    return data_error(file_, "has " + std::to_string(header.columns) + " columns",
                      "expected " + std::to_string(columns) +
                          (options_.target_may_be_missing
                               ? " as in the training data, or one less without the target"
                               : " as in the other data"));
  }
  for (std::size_t e = 0; e < columns; ++e) {
    if (!all && e == target_) continue;
    places_[e] = e - (!all && e > target_ ? 1 : 0);  // later columns move up
  }
  return Done{};
}

std::string Encoder::where(std::size_t encoding, std::size_t line) const {
  return file_ + ":" + std::to_string(line) + ": " + column_words(header_, *places_[encoding]);
}

Error Encoder::unreadable(std::size_t encoding, std::string_view cell, std::size_t line,
                          const std::string& what) const {
  return data_error(where(encoding, line), "holds " + in_quotes(cell) + ", which is not " + what,
                    "expected " + what + " or an empty field");
}

Result<Encoder::Value> Encoder::number_in(std::size_t encoding, std::string_view cell,
                                          std::size_t line) const {
  Value value;
  if (encodings_[encoding].kind == Kind::boolean) {
    const auto truth = parse_boolean(cell);
    if (truth) return Value{*truth ? 1.0 : 0.0, false};
    double number = 0.0;
    if (parse_cell(cell, decimal_comma_, number) == NumberForm::finite) return Value{number, false};
  } else if (encodings_[encoding].kind == Kind::time) {
    const auto days = parse_time_or_stamp(cell, encodings_[encoding].day_first);
    if (days) return Value{*days, false};
  } else if (parse_cell(cell, decimal_comma_, value.number) == NumberForm::finite) {
    return value;
  }
  if (is_missing_number(cell) || encodings_[encoding].words_missing) return Value{kNaN, true};
  return unreadable(encoding, cell, line, kind_word(encodings_[encoding].kind));
}

/// Returns the place of a level; the number of levels stands for any other level.
Result<Encoder::Value> Encoder::level_in(std::size_t encoding, std::string_view cell,
                                         std::size_t line) const {
  const std::string_view level = trim(cell);
  const auto found = levels_[encoding].find(level);
  if (found != levels_[encoding].end()) return Value{static_cast<double>(found->second), false};
  if (is_missing(level)) return Value{kNaN, true};
  if (encodings_[encoding].role == Role::feature) {
    return Value{static_cast<double>(encodings_[encoding].levels.size()), false};
  }
  if (options_.target_may_be_missing) return Value{kNaN, true};
  return data_error(where(encoding, line), "holds " + in_quotes(level) + ", which is not known",
                    "expected one of " + counted(encodings_[encoding].levels.size(), "level"));
}

Result<Encoder::Value> Encoder::value_in(std::size_t encoding, std::string_view cell,
                                         std::size_t line) const {
  return encodings_[encoding].kind == Kind::category ? level_in(encoding, cell, line)
                                                     : number_in(encoding, cell, line);
}

void Encoder::append_feature(const Encoding& encoding, std::string_view cell, const Value& value,
                             std::vector<double>& row) const {
  if (encoding.kind == Kind::category) {
    const std::size_t levels = encoding.levels.size();
    const auto level = value.missing ? row.max_size() : static_cast<std::size_t>(value.number);
    for (std::size_t k = 0; k < levels; ++k) row.push_back(k == level ? 1.0 : 0.0);
    std::size_t hash = encoding.hashed;  // none
    if (level == levels && encoding.hashed > 0) {
      hash = fingerprint_of(trim(cell)) % encoding.hashed;
    }
    for (std::size_t k = 0; k < encoding.hashed; ++k) row.push_back(k == hash ? 1.0 : 0.0);
  } else if (encoding.kind == Kind::time) {
    append_time(encoding, value.number, value.missing, row);
  } else {
    row.push_back(value.missing ? encoding.fill : value.number);
  }
  if (encoding.indicator) row.push_back(value.missing ? 1.0 : 0.0);
}

Status Encoder::append(std::size_t e, std::string_view cell, std::size_t line,
                       std::vector<double>& row) {
  const Encoding& encoding = encodings_[e];
  Value value{kNaN, true};
  if (places_[e]) {
    CAUCUS_TRY(value, value_in(e, cell, line));
  }
  if (value.missing) {
    if (encoding.role == Role::target) no_target_ = true;
    const bool required = encoding.role == Role::client || encoding.role == Role::expert;
    if (encoding.role == Role::feature) no_feature_ = true;
    if (!options_.target_may_be_missing &&
        (required || (encoding.role == Role::feature && options_.impute == Impute::none))) {
      return data_error(where(e, line), "is missing",
                        required ? "expected a value in every row"
                                 : "expected a value, or --impute mean or drop");
    }
  }
  if (encoding.role == Role::feature) {
    append_feature(encoding, cell, value, row);
  } else {
    row.push_back(value.missing ? (encoding.expert > 0 ? encoding.fill : kNaN) : value.number);
  }
  return Done{};
}

void Encoder::append_lags(const std::string& client, std::vector<double>& row) {
  Past& past = pasts_[client];
  for (std::size_t lag = 0; lag < options_.lags; ++lag) {
    if (lag < past.size()) {
      row.insert(row.end(), past[lag].begin(), past[lag].end());
      continue;
    }
    no_feature_ = true;
    for (const std::size_t e : lagged_) row.push_back(encodings_[e].fill);
  }
  past.push_front(present_);
  if (past.size() > options_.lags) past.pop_back();
}

Result<bool> Encoder::encode(std::span<const std::string_view> cells, std::size_t line,
                             std::vector<double>& row) {
  row.clear();
  present_.clear();
  no_target_ = no_feature_ = false;
  std::string client;
  std::size_t next_lagged = 0;
  for (std::size_t e = 0; e < encodings_.size(); ++e) {
    const Encoding& encoding = encodings_[e];
    if (encoding.role == Role::ignored) continue;
    const std::string_view cell = places_[e] ? cells[*places_[e]] : std::string_view();
    const std::size_t begin = row.size();
    CAUCUS_CHECK(append(e, cell, line, row));
    if (encoding.role == Role::client) client = trim(cell);
    if (next_lagged < lagged_.size() && lagged_[next_lagged] == e) {
      present_.push_back(std::isnan(row[begin]) ? encoding.fill : row[begin]);
      ++next_lagged;
    }
  }
  if (options_.lags > 0) append_lags(client, row);
  if (options_.target_may_be_missing) return true;
  if (no_target_) {
    ++without_target_;
    return false;
  }
  if (no_feature_ && options_.impute == Impute::drop) {
    ++without_feature_;
    return false;
  }
  return true;
}

}  // namespace caucus
