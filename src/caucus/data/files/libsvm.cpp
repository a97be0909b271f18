#include "caucus/data/table.hpp"

#include <algorithm>

#include "caucus/data/files/line_reader.hpp"
#include "caucus/data/files/number.hpp"

namespace caucus {
namespace {

constexpr std::size_t kLargestIndex = 1'000'000;

struct Entry {
  std::size_t index;
  double value;
};
struct SparseRow {
  double label = 0.0;
  std::vector<Entry> entries;
};

std::string_view next_token(std::string_view& rest) {
  rest = trim(rest);
  const std::size_t length = std::min(rest.find_first_of(" \t"), rest.size());
  const std::string_view token = rest.substr(0, length);
  rest.remove_prefix(length);
  return token;
}

Status parse_entry(std::string_view token, const LineReader& lines, SparseRow& row) {
  const std::size_t colon = token.find(':');
  Entry entry{};
  if (colon == std::string_view::npos || !parse_count(token.substr(0, colon), entry.index)) {
    return data_error(lines.where(), in_quotes(token) + " is not a feature",
                      "expected index:value");
  }
  if (entry.index == 0 || entry.index > kLargestIndex) {
    return data_error(lines.where(), "has the index " + std::to_string(entry.index),
                      "expected 1 to " + std::to_string(kLargestIndex));
  }
  if (!row.entries.empty() && entry.index <= row.entries.back().index) {
    return data_error(lines.where(),
                      "has the index " + std::to_string(entry.index) + " after " +
                          std::to_string(row.entries.back().index),
                      "expected increasing indices");
  }
  CAUCUS_CHECK(read_number(token.substr(colon + 1), entry.value, [&] {
    return lines.where() + ": index " + std::to_string(entry.index);
  }));
  row.entries.push_back(entry);
  return Done{};
}

/// Reads the next row that is not blank or a comment; returns false at the end.
Result<bool> next_row(LineReader& lines, SparseRow& row) {
  for (;;) {
    std::string_view rest;
    CAUCUS_TRY(const bool more, lines.next(rest));
    if (!more) return false;
    rest = trim(rest.substr(0, rest.find('#')));
    if (rest.empty()) continue;
    CAUCUS_CHECK(
        read_number(next_token(rest), row.label, [&] { return lines.where() + ": label"; }));
    row.entries.clear();
    while (!trim(rest).empty()) CAUCUS_CHECK(parse_entry(next_token(rest), lines, row));
    return true;
  }
}

}  // namespace

Status read_libsvm(ByteSource& source, RowSink& sink) {
  SparseRow row;
  std::size_t dimension = 0;
  bool any = false;
  for (LineReader lines(source);;) {
    CAUCUS_TRY(const bool more, next_row(lines, row));
    if (!more) break;
    any = true;
    if (!row.entries.empty()) dimension = std::max(dimension, row.entries.back().index);
  }
  if (!any) return data_error(source.name(), "is empty", "expected rows of label index:value ...");

  CAUCUS_CHECK(source.rewind());
  CAUCUS_CHECK(sink.header({{}, dimension + 1}));
  std::vector<double> values(dimension + 1);
  for (LineReader lines(source);;) {
    CAUCUS_TRY(const bool more, next_row(lines, row));
    if (!more) return Done{};
    if (!row.entries.empty() && row.entries.back().index > dimension) {
      return data_error(lines.where(), "changed while it was read",
                        "expected a file that does not change");
    }
    for (const Entry& entry : row.entries) values[entry.index - 1] = entry.value;
    values[dimension] = row.label;
    CAUCUS_CHECK(sink.row(values, lines.line_number()));
    for (const Entry& entry : row.entries) values[entry.index - 1] = 0.0;
  }
}

}  // namespace caucus
