// The minimum and maximum of every column of a file, and the ranges file that stores them, so that
// clients can scale their rows alike without exchanging rows (`data info --ranges`,
// `--scale-from`).
//
// A ranges file is CSV. Its first line is exactly `column,minimum,maximum`; then follows one line
// per column in file order, with the name from the header, or the number if there is none.
#pragma once

#include <string>

#include "caucus/columns.hpp"
#include "caucus/data/files/byte_source.hpp"
#include "caucus/result.hpp"

namespace caucus {

/// Reads a data file once, in constant memory. `rows`, if given, receives the number of rows.
Result<Ranges> measure_ranges(const std::string& path, std::size_t* rows = nullptr);

/// Returns the content of a ranges file. Reading it back gives the same doubles.
std::string ranges_text(const Ranges& ranges);
Status write_ranges(const Ranges& ranges, const std::string& path);

/// Reads a ranges file, or measures the ranges of a data file.
Result<Ranges> load_ranges(const std::string& path);

/// Reads a ranges file; a data file is an error.
Result<Ranges> read_ranges(ByteSource& source);

}  // namespace caucus
