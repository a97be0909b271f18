// The minimum and maximum of every column of a file, and the ranges file that stores them, so that
// clients can scale their rows alike without exchanging rows (`data info --ranges`,
// `--scale-from`).
//
// A ranges file is CSV. Its first line is exactly `column,minimum,maximum`; then follows one line
// per column in file order, with the name from the header, or the number if there is none.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "caucus/data/columns.hpp"
#include "caucus/data/encoding/profile.hpp"
#include "caucus/data/table.hpp"

namespace caucus {

/// Measures the ranges of a table.
class RangeSink : public RowSink {
 public:
  Status header(const TableHeader& header) override {
    ranges.names = header.names;
    ranges.minimum.assign(header.columns, std::numeric_limits<double>::infinity());
    ranges.maximum.assign(header.columns, -std::numeric_limits<double>::infinity());
    return Done{};
  }
  Status row(std::span<const double> values, std::size_t) override {
    include_row(values, ranges.minimum, ranges.maximum);
    return Done{};
  }

  Ranges ranges;
};

/// Returns the content of a ranges file. Reading it back gives the same doubles.
std::string ranges_text(const Ranges& ranges);
Status write_ranges(const Ranges& ranges, const std::string& path);

/// Returns the ranges of the columns that hold only numbers and missing values.
Ranges ranges_of(const TableProfile& profile);

/// Reads a ranges file, or measures the ranges of the columns of numbers in a data file.
Result<Ranges> load_ranges(const std::string& path);

/// Returns the smallest ranges that contain those of all files, with the columns of any of them.
/// Requires at least one file.
Result<Ranges> merge_ranges(const std::vector<std::string>& paths);

/// Reads a ranges file; a data file is an error.
Result<Ranges> read_ranges(ByteSource& source);

}  // namespace caucus
