// Reads raw tables: counts their values, and encodes their rows.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "caucus/columns.hpp"
#include "caucus/data/encoding/encoder.hpp"
#include "caucus/data/encoding/input_tables.hpp"
#include "caucus/data/encoding/profile.hpp"
#include "caucus/data/table.hpp"
#include "caucus/result.hpp"

namespace caucus {

/// Counts the values of all files. Rows of another length are problems of the profile if they are
/// kept, else an error.
Result<TableProfile> profile_tables(InputTables& tables, const std::vector<std::string>& paths,
                                    const ReadOptions& options, bool keep_ragged);

/// Returns the encodings that follow from the values of all files and from the options, or the
/// first problem; adds what a user should know.
Result<std::vector<Encoding>> found_encodings(InputTables& tables,
                                              const std::vector<std::string>& paths,
                                              const ReadOptions& options,
                                              std::vector<std::string>& notes);

/// Gives the header and the rows of a file to the sink as numbers, sorted by the column `time`
/// unless that is empty. Returns the number of rows of the file.
Result<std::size_t> encode_table(const InputTable& table, Encoder& encoder, const std::string& time,
                                 RowSink& sink);

}  // namespace caucus
