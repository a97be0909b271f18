// The readers of files of numbers and their interface: a header, then rows of finite numbers. Files
// with other fields are read by files/cells.hpp.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "caucus/data/files/byte_source.hpp"
#include "caucus/result.hpp"

namespace caucus {

struct TableHeader {
  std::vector<std::string> names;  ///< one per column, or none if the file has no header
  std::size_t columns = 0;
};

/// Receives a table. If it returns an error, reading stops and returns that error.
class RowSink {
 public:
  virtual ~RowSink() = default;
  virtual Status header(const TableHeader& header) = 0;
  /// `values` holds header.columns finite numbers; `line` counts from 1 in the file.
  virtual Status row(std::span<const double> values, std::size_t line) = 0;
};

enum class TableFormat { csv, libsvm, arff };

/// Returns the format for the extension of `path` without ".gz": .libsvm and .svm, .arff, and CSV
/// for all others.
TableFormat table_format(std::string_view path);

/// Reads a file in the format that table_format() returns. A table without rows is an error, and so
/// is ARFF, which read_cells() reads.
Status read_table(const std::string& path, RowSink& sink);
Status read_table(ByteSource& source, TableFormat format, RowSink& sink);

/// CSV with the delimiter (comma, semicolon or tab) that is most frequent in the first line.
///
/// The first row is a header if none of its fields is a number (a quoted field counts as a name),
/// and data if all of them are. A mixture is an error, because a wrong guess would lose or invent a
/// row. Fields may be quoted ("" is a quote) but may not span lines. Blank lines are skipped.
/// Spaces around a field and a leading '+' are allowed.
Status read_csv(ByteSource& source, RowSink& sink);

/// Returns the most frequent of comma, semicolon and tab outside quotes.
char detect_delimiter(std::string_view line);

struct CsvField {
  std::string text;
  bool quoted = false;
};

/// Splits one line at `delimiter` and handles quotes; used for headers and for rows with quotes.
Result<std::vector<CsvField>> split_csv_line(std::string_view line, char delimiter,
                                             const std::string& where);

/// LIBSVM: `label index:value ...` with increasing indices from 1. Features that are not listed are
/// 0, and '#' begins a comment. The columns of the table are the features 1..d, then the label.
///
/// The largest index is known only at the end of the file, so the file is read twice.
Status read_libsvm(ByteSource& source, RowSink& sink);

}  // namespace caucus
