// Converts the columns of a data file to features and target, so that all clients of a federation
// scale their data in the same way.
//
// Min-max scaling to [A, B]:  A + (B - A) (raw - minimum) / (maximum - minimum);  a column with
// minimum = maximum becomes 0. Values outside given ranges are clipped to them when a file is read,
// so that no row is beyond what a server expects; scale_to() itself does not clip. Columns of
// experts hold predictions of the target in its units, so they are scaled by the target's range.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "caucus/result.hpp"

namespace caucus {

using Interval = std::pair<double, double>;

/// The minimum and maximum of every column of a file.
struct Ranges {
  std::vector<std::string> names;  ///< as in the file's header; empty if it has none
  std::vector<double> minimum;
  std::vector<double> maximum;

  [[nodiscard]] std::size_t columns() const { return minimum.size(); }
  friend bool operator==(const Ranges&, const Ranges&) = default;
};

/// The role of each column of a file and the ranges by which it is scaled.
struct ReadOptions {
  std::string target = "last";                 ///< last | first | N (from 1) | NAME
  std::optional<Interval> feature_range = {};  ///< scale the features to [A, B]
  std::optional<Interval> label_range = {};    ///< scale the target and the experts' predictions
  std::optional<Ranges> ranges = {};           ///< used instead of the file's minimum and maximum
  /// The columns that hold experts' predictions, in the order of the experts: numbers from 1,
  /// names, or A..B for all from number A to number B.
  std::vector<std::string> expert_columns = {};
  bool experts_are_features = false;              ///< whether these columns are features too
  std::optional<std::string> client_column = {};  ///< names the client of a row; N (from 1) or NAME
  /// If the target is a class: the names of all classes; empty if they are those that occur.
  std::vector<std::string> classes = {};

  [[nodiscard]] Status validate() const;
};

/// Scales a number by the formula at the top of this file.
double scale_to(Interval to, double minimum, double maximum, double raw);

}  // namespace caucus
