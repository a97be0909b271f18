// Resolves the user's names of columns (last, first, a number, a name) against a table's header.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "caucus/columns.hpp"
#include "caucus/data/table.hpp"
#include "caucus/result.hpp"

namespace caucus {

/// Returns the index (from 0) of the column called `word`; `role`, such as "target", appears in
/// messages.
Result<std::size_t> find_column(const std::string& word, const TableHeader& header,
                                const std::string& role, const std::string& file);

/// Returns a Scaling with its columns assigned: every column that is not the target, an expert or
/// the client column is a feature.
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
