// The rows of data files as lines of CSV without the target, for programs that read them as they
// were written.
#pragma once

#include <string>
#include <vector>

#include "caucus/data/dataset.hpp"
#include "caucus/result.hpp"

namespace caucus {

struct RowTexts {
  std::string header;             ///< the names of the columns, or else their numbers from 1
  std::vector<std::string> rows;  ///< in the order of the data set
};

/// Reads the files of a data set again. `target` is what the options of the data set say.
Result<RowTexts> read_row_texts(const std::vector<std::string>& paths, const std::string& target,
                                const Dataset& data);

}  // namespace caucus
