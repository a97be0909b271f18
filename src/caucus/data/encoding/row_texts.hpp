// The rows of data files as fields of CSV without the target, for programs that read them as they
// were written. A comma is before each field, since another one comes first.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "caucus/data/dataset.hpp"
#include "caucus/data/table.hpp"
#include "caucus/result.hpp"

namespace caucus {

/// Returns the names of the columns without that of the target, if there is one.
std::string header_text(const TableHeader& header, std::optional<std::size_t> target);
std::string row_text(std::span<const std::string_view> cells, std::optional<std::size_t> target);

struct RowTexts {
  std::string header;             ///< the names of the columns, or else their numbers from 1
  std::vector<std::string> rows;  ///< in the order of the data set
};

/// Reads the files of a data set again. `target` is what the options of the data set say.
Result<RowTexts> read_row_texts(const std::vector<std::string>& paths, const std::string& target,
                                const Dataset& data);

}  // namespace caucus
