// Options for reading a data file: the role of each column and how columns are scaled.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "caucus/core/base/result.hpp"
#include "caucus/data/ranges.hpp"
#include "caucus/data/scaling.hpp"

namespace caucus {

struct ReadOptions {
  std::string target = "last";                 ///< last | first | N (from 1) | NAME
  std::optional<Interval> feature_range = {};  ///< scale the features to [A, B]
  std::optional<Interval> label_range = {};    ///< scale the target and the experts' predictions
  std::optional<Ranges> ranges = {};  ///< minimum and maximum from elsewhere (--scale-from)
  /// The columns that hold experts' predictions, counted from 1, both ends included.
  std::optional<std::pair<std::size_t, std::size_t>> expert_columns = {};
  std::optional<std::string> client_column = {};  ///< names the client of a row; N (from 1) or NAME

  [[nodiscard]] Status validate() const;
};

}  // namespace caucus
