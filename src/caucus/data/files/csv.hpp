// CSV: fields parted by comma, semicolon or tab, whichever the first line holds most of.
//
// The first row is a header if none of its fields is a number (a quoted field counts as a name),
// and data if all are; a mixture is an error, since guessing wrong would lose a row or make one up.
// Fields may be quoted ("" is a quote) but not span lines; blank lines are skipped; spaces around a
// field and a leading '+' are allowed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "caucus/core/base/result.hpp"
#include "caucus/data/table.hpp"

namespace caucus {

Status read_csv(ByteSource& source, RowSink& sink);

struct CsvField {
  std::string text;
  bool quoted = false;
};

/// Splits one line at `delimiter`; the general way, for headers and for rows with quotes.
Result<std::vector<CsvField>> split_csv_line(std::string_view line, char delimiter,
                                             const std::string& where);

}  // namespace caucus
