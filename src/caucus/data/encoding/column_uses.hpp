// Decides from the values of raw tables and from what the user says how each column is used.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "caucus/columns.hpp"
#include "caucus/data/encoding/profile.hpp"
#include "caucus/result.hpp"

namespace caucus {

/// More levels of a category share hashed columns.
inline constexpr std::size_t kMostLevelColumns = 32;

struct ColumnUse {
  Encoding encoding;
  std::string left_out;                   ///< why, if the column is not used
  std::optional<Error> problem = {};      ///< prevents a run
  std::optional<std::string> doubt = {};  ///< does not
};

/// Returns the use of each column; an error is one of the options, such as an unknown name.
Result<std::vector<ColumnUse>> column_uses(const TableProfile& table, const ReadOptions& options);

/// What to say of a last column that is the target because no other is named.
std::string constant_target_words(const std::string& column);
std::string dummy_target_words(const std::string& column, std::size_t like_it);

/// "predicts column 9 'NO2' (number, 2 to 290) from 16 columns: 14 numbers, 2 categories (46
/// features)".
std::string prediction_words(const std::vector<Encoding>& encodings, const TableHeader& header,
                             const std::string& target_values, std::size_t features);

}  // namespace caucus
