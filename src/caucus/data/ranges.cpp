#include "caucus/data/ranges.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "caucus/data/encoding/input_tables.hpp"
#include "caucus/data/encoding/raw_table.hpp"
#include "caucus/data/files/line_reader.hpp"
#include "caucus/data/files/number.hpp"
#include "caucus/data/files/text_file.hpp"

namespace caucus {
namespace {

constexpr std::string_view kFirstLine = "column,minimum,maximum";

Status parse_range(std::string_view line, const std::string& where, Ranges& ranges, bool& named) {
  CAUCUS_TRY(const auto fields, split_csv_line(line, ',', where));
  if (fields.size() != 3) {
    return data_error(where, "has " + std::to_string(fields.size()) + " fields", "expected 3");
  }
  double bounds[2] = {};
  for (std::size_t k = 0; k < 2; ++k) {
    CAUCUS_CHECK(
        read_number(fields[k + 1].text, bounds[k], [&] { return column_where(where, k + 2); }));
  }
  if (bounds[0] > bounds[1]) {
    return data_error(
        where, "has the minimum " + to_text(bounds[0]) + " above the maximum " + to_text(bounds[1]),
        "expected minimum <= maximum");
  }
  ranges.names.push_back(fields[0].text);
  ranges.minimum.push_back(bounds[0]);
  ranges.maximum.push_back(bounds[1]);
  named = named || fields[0].quoted || fields[0].text != std::to_string(ranges.columns());
  return Done{};
}

}  // namespace

std::string ranges_text(const Ranges& ranges) {
  std::string text(kFirstLine);
  text += '\n';
  for (std::size_t k = 0; k < ranges.columns(); ++k) {
    text += ranges.names.empty() ? std::to_string(k + 1) : csv_name(ranges.names[k]);
    text += ',';
    append_number(text, ranges.minimum[k]);
    text += ',';
    append_number(text, ranges.maximum[k]);
    text += '\n';
  }
  return text;
}

Status write_ranges(const Ranges& ranges, const std::string& path) {
  CAUCUS_TRY(TextWriter out, TextWriter::create(path));
  CAUCUS_CHECK(out.write(ranges_text(ranges)));
  return out.commit();
}

Result<Ranges> read_ranges(ByteSource& source) {
  LineReader lines(source);
  std::string_view line;
  CAUCUS_TRY(bool more, lines.next(line));
  if (!more || line != kFirstLine) {
    return data_error(source.name(), "is not a ranges file",
                      "expected the first line " + in_quotes(kFirstLine));
  }
  Ranges ranges;
  bool named = false;
  for (;;) {
    CAUCUS_TRY(more, lines.next(line));
    if (!more) break;
    if (!trim(line).empty()) CAUCUS_CHECK(parse_range(line, lines.where(), ranges, named));
  }
  if (ranges.minimum.empty()) {
    return data_error(source.name(), "has no ranges", "expected one line per column");
  }
  if (!named) ranges.names.clear();
  return ranges;
}

Ranges ranges_of(const TableProfile& profile) {
  Ranges ranges;
  const TableHeader& header = profile.head();
  for (std::size_t c = 0; c < header.columns; ++c) {
    const ColumnProfile& column = profile.columns()[c];
    const bool numbers = column.numbers > 0 && column.texts + column.not_finite == 0;
    const bool categories = !header.names.empty() && profile.head().declared.size() > c &&
                            profile.head().declared[c].type == DeclaredColumn::Type::category;
    if (!numbers || categories) continue;
    if (!header.names.empty()) ranges.names.push_back(header.names[c]);
    ranges.minimum.push_back(column.minimum);
    ranges.maximum.push_back(column.maximum);
  }
  return ranges;
}

Result<Ranges> load_ranges(const std::string& path) {
  InputTables tables;
  CAUCUS_TRY(const InputTable table, tables.open(path));
  std::string_view line;
  LineReader lines(*table.source);
  CAUCUS_TRY(const bool more, lines.next(line));
  const bool is_ranges_file = more && line == kFirstLine;
  CAUCUS_CHECK(table.source->rewind());
  if (is_ranges_file) return read_ranges(*table.source);
  RangeSink sink;
  const Status plain = read_table(*table.source, table.format, sink);
  if (plain.ok()) return std::move(sink.ranges);
  CAUCUS_TRY(const TableProfile profile, profile_tables(tables, {path}, {}, false));
  Ranges ranges = ranges_of(profile);
  if (ranges.columns() == 0) {
    return data_error(path, "has no column of numbers", "expected one that has a range");
  }
  return ranges;
}

Result<Ranges> merge_ranges(const std::vector<std::string>& paths) {
  std::optional<Ranges> merged;
  for (const std::string& path : paths) {
    CAUCUS_TRY(Ranges ranges, load_ranges(path));
    if (!merged) {
      merged = std::move(ranges);
      continue;
    }
    if (merged->names.empty() != ranges.names.empty() ||
        (ranges.names.empty() && ranges.columns() != merged->columns())) {
      return data_error(path, "has " + counted(ranges.columns(), "column"),
                        "expected the columns of " + paths.front());
    }
    for (std::size_t c = 0; c < ranges.columns(); ++c) {
      std::size_t place = c;
      if (!ranges.names.empty()) {
        const auto found = std::find(merged->names.begin(), merged->names.end(), ranges.names[c]);
        place = static_cast<std::size_t>(found - merged->names.begin());
        if (found == merged->names.end()) {
          merged->names.push_back(ranges.names[c]);
          merged->minimum.push_back(ranges.minimum[c]);
          merged->maximum.push_back(ranges.maximum[c]);
          continue;
        }
      }
      merged->minimum[place] = std::min(merged->minimum[place], ranges.minimum[c]);
      merged->maximum[place] = std::max(merged->maximum[place], ranges.maximum[c]);
    }
  }
  return *merged;
}

}  // namespace caucus
