// The readers of tables whose fields may be any text, and the meaning of such fields.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "caucus/data/files/number.hpp"
#include "caucus/data/table.hpp"
#include "caucus/result.hpp"

namespace caucus {

/// What a file itself says about a column; only ARFF says anything.
struct DeclaredColumn {
  enum class Type { unknown, number, category, text, time };
  Type type = Type::unknown;
  std::vector<std::string> levels = {};  ///< of a category
};

struct CellHeader : TableHeader {
  std::vector<DeclaredColumn> declared = {};  ///< one per column, or none
  bool decimal_comma = false;                 ///< 3,14 may be a number
  bool is_guess = false;                      ///< the first line mixes numbers with names
};

/// Receives a table of texts. If it returns an error, reading stops and returns that error.
class CellSink {
 public:
  virtual ~CellSink() = default;
  virtual Status header(const CellHeader& header) = 0;
  /// `cells` holds header.columns texts, which are valid during the call.
  virtual Status row(std::span<const std::string_view> cells, std::size_t line) = 0;
  /// A row has another number of fields than the first one. Returns this error to stop.
  virtual Status ragged(Error error) { return error; }
};

/// Reads CSV whose fields may be any text: quoted fields may span lines, and lines that repeat the
/// header are skipped. Whether the first line is a header follows from the lines below it.
Status read_csv_cells(ByteSource& source, CellSink& sink);
/// ARFF with numeric, nominal, string and date attributes.
Status read_arff_cells(ByteSource& source, CellSink& sink);
/// Reads any format; the numbers of LIBSVM become texts.
Status read_cells(ByteSource& source, TableFormat format, CellSink& sink);

/// Whether a field has no value: empty, NA, N/A, NaN, null or ?, in any case.
bool is_missing(std::string_view cell);
/// Whether a field among numbers has no value: also none, nil, a dash or a point.
bool is_missing_number(std::string_view cell);
/// Parses true, false, yes, no, t, f, y and n, in any case.
std::optional<bool> parse_boolean(std::string_view cell);
/// Parses a number with surrounding spaces removed; `decimal_comma` allows 3,14.
NumberForm parse_cell(std::string_view cell, bool decimal_comma, double& value);

/// Parses a date, a date with a time of day, or a time of day, and returns the days since 1970.
/// Forms: 2013-03-01T05:00:00, 2013/3/1 5:00, 1.3.2013, 1/3/2013 5:00 PM, 01-Mar-2013, 05:00. A UTC
/// offset is ignored, since the local hour and day are what repeats.
std::optional<double> parse_time(std::string_view text, bool day_first);
/// Parses also numbers, which are seconds or milliseconds since 1970, or YYYYMMDD.
std::optional<double> parse_time_or_stamp(std::string_view text, bool day_first);

}  // namespace caucus
