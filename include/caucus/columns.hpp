// Converts the columns of a data file to features and target, so that all clients of a federation
// convert their data in the same way.
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

/// How one column of a file becomes numbers. A column is found by its name, or by its place in the
/// list of encodings if the file has no names.
struct Encoding {
  enum class Role { feature, target, expert, client, ignored };  ///< an expert may be a feature too
  enum class Kind {
    number,    ///< the number itself
    boolean,   ///< 1 for true, yes, t and y, else 0
    category,  ///< one column per level; a target or a client column is the place of its level
    time,      ///< one or two columns per part of the calendar
  };

  std::string name;
  Role role = Role::feature;
  Kind kind = Kind::number;
  std::size_t expert = 0;  ///< the number of the expert whose predictions it holds, from 1; 0: none
  /// A category has here the levels with a column of their own. A time has its parts: hour,
  /// weekday, yearday (each a sine and a cosine) and trend (the days since 1970).
  std::vector<std::string> levels = {};
  std::size_t hashed = 0;      ///< of a category: the columns that all other levels are hashed to
  bool day_first = false;      ///< of a time: 1/2/2013 is in February
  bool indicator = false;      ///< one more column is 1 where the value is missing
  double fill = 0.0;           ///< takes the place of a missing number
  bool words_missing = false;  ///< of a number: words that are no number are missing values

  friend bool operator==(const Encoding&, const Encoding&) = default;
};

/// What happens to a row in which a feature is missing.
enum class Impute {
  mean,  ///< the column's mean takes its place, and an indicator column says so
  none,  ///< it is an error
  drop,  ///< the row is left out
};

/// The role of each column of a file and how it becomes numbers. A column is called by its number
/// (from 1) or by its name.
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

  std::vector<std::string> drop = {};        ///< columns that are left out
  std::vector<std::string> categories = {};  ///< NAME, or NAME=LEVEL|LEVEL|...
  std::vector<std::string> numbers = {};     ///< other words in these columns are missing values
  std::vector<std::string> missing = {};     ///< columns of given ranges with an indicator column
  std::string time = {};                     ///< holds dates or times, by which rows are sorted
  std::size_t lags = 0;  ///< so many past targets and numbers of the same client are features too
  Impute impute = Impute::mean;
  std::size_t hash_columns = 16;  ///< of a category with more than 32 or with unknown levels
  /// If these are given, they say it all, and the lists above and the roles have no effect.
  std::vector<Encoding> encodings = {};

  [[nodiscard]] Status validate() const;
};

/// Scales a number by the formula at the top of this file.
double scale_to(Interval to, double minimum, double maximum, double raw);

}  // namespace caucus
