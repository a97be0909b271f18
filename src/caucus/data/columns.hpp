// Resolves the user's names of columns (last, first, a number, a name) against a table's header,
// and scales their values.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "caucus/columns.hpp"
#include "caucus/data/table.hpp"
#include "caucus/result.hpp"

namespace caucus {

/// The columns of a file with their ranges, and the ranges that they are scaled to.
struct Scaling {
  std::size_t columns = 0;  ///< columns of the file; the indices below count from 0
  std::size_t target_column = 0;
  std::vector<std::size_t> feature_columns;
  std::vector<std::size_t> expert_columns;
  std::optional<std::size_t> client_column;
  std::optional<Interval> feature_range;  ///< [A, B]; not scaled if absent
  std::optional<Interval> label_range;
  std::vector<double> minimum;  ///< per file column, as given or as observed
  std::vector<double> maximum;

  /// Returns the scaled value of feature k (from 0).
  [[nodiscard]] double feature(std::size_t k, double raw) const;
  /// Returns the scaled value of the target, or of an expert's prediction of it.
  [[nodiscard]] double target(double raw) const;
  /// Returns the inverse of target(), for predictions in original units.
  [[nodiscard]] double target_original(double scaled) const;

  /// Returns the range of feature k after scaling: [A, B], or [0, 0] for a constant column; without
  /// scaling its minimum and maximum.
  [[nodiscard]] Interval feature_interval(std::size_t k) const;
  [[nodiscard]] Interval target_interval() const;
  /// Returns the range of the predictions of expert k, in scaled units.
  [[nodiscard]] Interval expert_interval(std::size_t k) const;

  friend bool operator==(const Scaling&, const Scaling&) = default;
};

/// Returns the index (from 0) of the column called `word`; `role`, such as "target", appears in
/// messages.
Result<std::size_t> find_column(const std::string& word, const TableHeader& header,
                                const std::string& role, const std::string& file);

/// Reads "A..B" as two numbers of columns, counted from 1; anything else is the name or number of
/// one column, for which it returns nothing.
std::optional<std::pair<std::size_t, std::size_t>> column_range(const std::string& word);

/// Returns a Scaling with its columns assigned: every column that is not the target, an expert or
/// the client column is a feature, and experts' columns are if the options say so.
Result<Scaling> assign_columns(const ReadOptions& options, const TableHeader& header,
                               const std::string& file);

/// Widens the ranges of the columns so that they contain the values of a row.
inline void include_row(std::span<const double> values, std::vector<double>& minimum,
                        std::vector<double>& maximum) {
  for (std::size_t k = 0; k < values.size(); ++k) {
    minimum[k] = values[k] < minimum[k] ? values[k] : minimum[k];
    maximum[k] = values[k] > maximum[k] ? values[k] : maximum[k];
  }
}

/// Returns an error unless both tables have the same columns. Names are compared if both have them.
Status same_columns(const TableHeader& header, const std::string& file, const TableHeader& first,
                    const std::string& first_file);

}  // namespace caucus
