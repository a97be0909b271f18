// The columns of numbers that encodings make of a raw table, and the encodings that given ranges
// and lists of columns state without any data.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "caucus/columns.hpp"
#include "caucus/data/columns.hpp"
#include "caucus/data/table.hpp"
#include "caucus/result.hpp"

namespace caucus {

/// Says what a column of numbers holds.
struct EncodedColumn {
  std::size_t source;             ///< the encoding that makes it
  std::string name;               ///< "wd=NE", "PM10 missing", "NO2[-1]"
  std::optional<Interval> range;  ///< the values that it can have, where the encoding tells them
};

/// The columns that encodings make, in their order: those of each encoding, then with `lags` the
/// past numbers and targets, the latest first.
std::vector<EncodedColumn> encoded_columns(const std::vector<Encoding>& encodings,
                                           std::size_t lags);

/// The numbers that are features, and the target: what has lags.
std::vector<std::size_t> lagged_encodings(const std::vector<Encoding>& encodings);

/// Returns the roles of the encoded columns and, from the encodings and `ranges`, the ranges that
/// are known; others are empty (minimum > maximum).
Result<Scaling> encoded_scaling(const std::vector<Encoding>& encodings, std::size_t lags,
                                const std::optional<Ranges>& ranges);

/// Returns the names of the encoded features.
std::vector<std::string> encoded_feature_names(const std::vector<Encoding>& encodings,
                                               std::size_t lags);

/// Whether the target is a name, so that it is a number of a class and not scaled.
bool has_classes(const std::vector<Encoding>& encodings);

/// Whether given ranges state the encodings: they have names, or lists of columns go with them.
bool states_encodings(const ReadOptions& options);

/// Returns the encodings that the ranges and lists of `options` state: the columns with ranges are
/// numbers, whose middle takes the place of missing values, and the others are as listed.
Result<std::vector<Encoding>> stated_encodings(const ReadOptions& options);

/// Returns the number of the expert whose predictions a column holds, from 1, or 0.
std::size_t expert_number(const Scaling& scaling, std::size_t column);

/// Returns the encodings of a table of numbers that are used as they are.
std::vector<Encoding> plain_encodings(const Scaling& scaling, const TableHeader& header);

/// Splits NAME=LEVEL|LEVEL into a name and levels.
struct ListedCategory {
  std::string name;
  std::vector<std::string> levels;
};
ListedCategory parse_category(const std::string& text);

/// "column 3 'wd'", or "column 3" if it has no name.
std::string column_words(const TableHeader& header, std::size_t column);

}  // namespace caucus
