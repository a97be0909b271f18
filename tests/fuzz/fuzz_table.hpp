// What must hold for any bytes in any table format: no crash, and a sink that sees only whole rows
// of finite numbers after one header, or an error of one line that names the file.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

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

inline void check_error(const Error& error) {
  require(error.kind == ErrorKind::data && error.where.starts_with("fuzz"));
  require(error.line().find('\n') == std::string::npos);
}

inline int fuzz_table(TableFormat format, const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
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
