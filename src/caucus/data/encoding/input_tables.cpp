#include "caucus/data/encoding/input_tables.hpp"

#include <utility>

#include "caucus/data/files/line_reader.hpp"
#include "caucus/data/files/number.hpp"

namespace caucus {
namespace {

/// Standard input has no name from which its format would follow.
Result<TableFormat> format_of(const std::string& path, ByteSource& source) {
  if (path != "-") return table_format(path);
  std::string_view line;
  LineReader lines(source);
  CAUCUS_TRY(const bool more, lines.next(line));
  const bool arff = more && (line.starts_with('%') || lower_case(line).starts_with("@relation"));
  CAUCUS_CHECK(source.rewind());
  return arff ? TableFormat::arff : TableFormat::csv;
}

}  // namespace

Result<InputTable> InputTables::open(const std::string& path) {
  auto stream = streams_.find(path);
  if (stream != streams_.end()) {
    CAUCUS_CHECK(stream->second.rewind());
  } else {
    CAUCUS_TRY(ByteSource opened, ByteSource::open(path));
    auto& into = opened.is_stream() ? streams_ : current_;
    if (!opened.is_stream()) current_.clear();
    stream = into.emplace(path, std::move(opened)).first;
  }
  ByteSource& source = stream->second;
  CAUCUS_TRY(const TableFormat format, format_of(path, source));
  return InputTable{&source, format, source.name()};
}

}  // namespace caucus
