// The interface of all file readers: a header, then rows of finite numbers.
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

/// Reads a file in the format that table_format() returns. A table without rows is an error.
Status read_table(const std::string& path, RowSink& sink);
Status read_table(ByteSource& source, TableFormat format, RowSink& sink);

}  // namespace caucus
