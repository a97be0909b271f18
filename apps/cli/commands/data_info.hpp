// Shows what is in a data file and what a run would do with each column.
#pragma once

#include <string>

#include "caucus/columns.hpp"
#include "caucus/result.hpp"

namespace caucus::cli {

/// Prints one line per column and all problems at once; writes the ranges of the columns of numbers
/// to the file `ranges` unless that is empty.
Status show_data_info(const std::string& file, const ReadOptions& options,
                      const std::string& ranges);

}  // namespace caucus::cli
