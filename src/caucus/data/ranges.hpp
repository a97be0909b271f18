// Minimum and maximum of every column of a file, and the ranges file that carries them to places
// where the data itself must not go (`data info --ranges`, `--scale-from`).
//
// A ranges file is CSV; its first line is exactly `column,minimum,maximum`, then one line per
// column in file order, named by the header or else by number.
#pragma once

#include <string>
#include <vector>

#include "caucus/core/base/result.hpp"
#include "caucus/data/files/byte_source.hpp"

namespace caucus {

struct Ranges {
  std::vector<std::string> names;  ///< as in the file's header; empty if it has none
  std::vector<double> minimum;
  std::vector<double> maximum;

  [[nodiscard]] std::size_t columns() const { return minimum.size(); }
  friend bool operator==(const Ranges&, const Ranges&) = default;
};

/// One pass over a data file, in constant memory. `rows`, if given, receives the number of rows.
Result<Ranges> measure_ranges(const std::string& path, std::size_t* rows = nullptr);

/// The content of a ranges file; reading it back gives the same doubles.
std::string ranges_text(const Ranges& ranges);
Status write_ranges(const Ranges& ranges, const std::string& path);

/// Of a ranges file, or of a data file by measuring it.
Result<Ranges> load_ranges(const std::string& path);

/// A ranges file only.
Result<Ranges> read_ranges(ByteSource& source);

}  // namespace caucus
