// Which column of a file is what: the user's words for columns, resolved against a header.
#pragma once

#include <cstddef>
#include <string>

#include "caucus/core/base/result.hpp"
#include "caucus/data/read_options.hpp"
#include "caucus/data/scaling.hpp"
#include "caucus/data/table.hpp"

namespace caucus {

/// The index (from 0) of the column called `word`; `role` ("target") is for messages.
Result<std::size_t> find_column(const std::string& word, const TableHeader& header,
                                const std::string& role, const std::string& file);

/// Fills in the column part of a Scaling: every column that is not target, expert or client is a
/// feature.
Result<Scaling> assign_columns(const ReadOptions& options, const TableHeader& header,
                               const std::string& file);

/// An error unless both tables have the same columns; names count where both have them.
Status same_columns(const TableHeader& header, const std::string& file, const TableHeader& first,
                    const std::string& first_file);

}  // namespace caucus
