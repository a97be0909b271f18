// What must hold for any bytes in any table format: no crash, and a sink that sees only whole rows
// of finite numbers after one header, or an error of one line that names the file. A raw table is
// encoded as its values say.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "caucus/data/encoding/column_uses.hpp"
#include "caucus/data/encoding/encoder.hpp"
#include "caucus/data/table.hpp"

namespace caucus {

inline void require(bool holds) {
  if (!holds) std::abort();
}

struct CheckingSink : RowSink {
  Status header(const TableHeader& header) override {
    require(columns == 0 && header.columns > 0);
    require(header.names.empty() || header.names.size() == header.columns);
    columns = header.columns;
    return Done{};
  }
  Status row(std::span<const double> values, std::size_t line) override {
    require(columns > 0 && values.size() == columns && line > last_line);
    for (const double value : values) require(std::isfinite(value));
    last_line = line;
    return Done{};
  }

  std::size_t columns = 0;
  std::size_t last_line = 0;
};

/// Encodes what it is given.
struct CheckingCells : CellSink {
  explicit CheckingCells(Encoder& chosen) : encoder(chosen) {}

  Status header(const CellHeader& header) override { return encoder.begin(header, "fuzz"); }
  Status row(std::span<const std::string_view> cells, std::size_t line) override {
    CAUCUS_TRY(const bool whole, encoder.encode(cells, line, values));
    if (!whole) return Done{};
    require(values.size() == encoder.encoded_header().columns);
    for (const double value : values) require(std::isfinite(value));
    return Done{};
  }

  Encoder& encoder;
  std::vector<double> values;
};

inline void check_error(const Error& error) {
  require(error.kind == ErrorKind::data && error.where.starts_with("fuzz"));
  require(error.line().find('\n') == std::string::npos);
}

/// Finds the type of each column and encodes the table; the rows must then fit.
inline void fuzz_raw(TableFormat format, std::string_view bytes) {
  ByteSource source = ByteSource::from_memory(bytes, "fuzz");
  TableProfile profile;
  profile.begin("fuzz");
  if (const auto status = read_cells(source, format, profile); !status.ok()) {
    return check_error(status.error());
  }
  const ReadOptions options{.lags = 1};
  const auto uses = column_uses(profile, options);
  if (!uses.ok()) return check_error(uses.error());
  std::vector<Encoding> encodings;
  for (const ColumnUse& use : *uses) {
    if (use.problem) return check_error(*use.problem);
    encodings.push_back(use.encoding);
  }
  if (!encoded_scaling(encodings, options.lags, {}).ok()) return;
  Encoder encoder(encodings, {options.lags, options.impute, false});
  CheckingCells sink(encoder);
  require(source.rewind().ok());
  if (const auto status = read_cells(source, format, sink); !status.ok()) {
    check_error(status.error());  // such as a second column of the same name
  }
}

inline int fuzz_table(TableFormat format, const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (format != TableFormat::libsvm) fuzz_raw(format, bytes);
  if (format == TableFormat::arff) return 0;
  ByteSource source = ByteSource::from_memory(bytes, "fuzz");
  CheckingSink sink;
  const auto status = read_table(source, format, sink);
  if (status.ok()) {
    require(sink.last_line > 0);
  } else {
    check_error(status.error());
  }
  return 0;
}

}  // namespace caucus
