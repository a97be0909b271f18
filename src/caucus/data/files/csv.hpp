// CSV with the delimiter (comma, semicolon or tab) that is most frequent in the first line.
//
// The first row is a header if none of its fields is a number (a quoted field counts as a name),
// and data if all of them are. A mixture is an error, because a wrong guess would lose or invent a
// row. Fields may be quoted ("" is a quote) but may not span lines. Blank lines are skipped. Spaces
// around a field and a leading '+' are allowed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "caucus/data/table.hpp"
#include "caucus/result.hpp"

namespace caucus {

Status read_csv(ByteSource& source, RowSink& sink);

struct CsvField {
  std::string text;
  bool quoted = false;
};

/// Splits one line at `delimiter` and handles quotes; used for headers and for rows with quotes.
Result<std::vector<CsvField>> split_csv_line(std::string_view line, char delimiter,
                                             const std::string& where);

}  // namespace caucus
