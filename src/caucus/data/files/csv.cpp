#include "caucus/data/table.hpp"

#include <algorithm>
#include <array>

#include "caucus/data/files/line_reader.hpp"
#include "caucus/data/files/number.hpp"

namespace caucus {
namespace {

bool is_blank(std::string_view line) {
  return line.find_first_not_of(' ') == std::string_view::npos;
}

class CsvReader {
 public:
  CsvReader(ByteSource& source, RowSink& sink)
      : name_(source.name()), lines_(source), sink_(sink) {}

  Status read() {
    std::string_view line;
    CAUCUS_TRY(bool more, next(line));
    if (!more) return data_error(name_, "is empty", "expected rows of numbers");
    delimiter_ = detect_delimiter(line);
    CAUCUS_TRY(const bool data, first_row(line));
    if (!data) {
      CAUCUS_TRY(more, next(line));
      if (!more) return data_error(name_, "has a header but no rows", "expected rows of numbers");
    }
    while (more) {
      CAUCUS_CHECK(parse(line));
      CAUCUS_CHECK(sink_.row(values_, lines_.line_number()));
      CAUCUS_TRY(more, next(line));
    }
    return Done{};
  }

 private:
  Result<bool> next(std::string_view& line) {
    for (;;) {
      CAUCUS_TRY(const bool more, lines_.next(line));
      if (!more || !is_blank(line)) return more;
    }
  }

  // Gives the header to the sink; returns true if the first row is data.
  Result<bool> first_row(std::string_view line) {
    CAUCUS_TRY(const auto fields, split_csv_line(line, delimiter_, lines_.where()));
    std::size_t numbers = 0;
    std::size_t names = 0;
    for (const CsvField& field : fields) {
      double value = 0.0;
      const NumberForm form = field.quoted ? NumberForm::text : parse_number(field.text, value);
      names += form == NumberForm::text ? 1 : 0;
      numbers += form == NumberForm::finite || form == NumberForm::not_finite ? 1 : 0;
    }
    if (numbers > 0 && names > 0) {
      return data_error(
          lines_.where(),
          "mixes " + std::to_string(numbers) + " numbers with " + std::to_string(names) + " names",
          "expected all numbers, or a header of all names or all quoted fields");
    }
    values_.resize(fields.size());
    TableHeader header{{}, fields.size()};
    if (numbers == 0) {
      for (const CsvField& field : fields) header.names.push_back(field.text);
    }
    CAUCUS_CHECK(sink_.header(header));
    return numbers > 0;
  }

  // Parses a line of plain numbers. Any other line, also one with a wrong number of fields, is left
  // to split_csv_line(), which reports errors.
  Status parse(std::string_view line) {
    const char* at = line.data();
    const char* const last = at + line.size();
    for (std::size_t k = 0; k < values_.size(); ++k) {
      while (at != last && *at == ' ') ++at;
      at = parse_plain_number(at, last, values_[k]);
      if (at == nullptr) return parse_carefully(line);
      while (at != last && *at == ' ') ++at;
      if (k + 1 == values_.size()) break;
      if (at == last || *at != delimiter_) return parse_carefully(line);
      ++at;
    }
    return at == last ? Status(Done{}) : parse_carefully(line);
  }

  Status parse_carefully(std::string_view line) {
    CAUCUS_TRY(const auto fields, split_csv_line(line, delimiter_, lines_.where()));
    if (fields.size() != values_.size()) {
      return data_error(lines_.where(), "has " + std::to_string(fields.size()) + " fields",
                        "expected " + std::to_string(values_.size()));
    }
    for (std::size_t k = 0; k < fields.size(); ++k) {
      CAUCUS_CHECK(read_number(trim(fields[k].text), values_[k],
                               [&] { return column_where(lines_.where(), k + 1); }));
    }
    return Done{};
  }

  std::string name_;
  LineReader lines_;
  RowSink& sink_;
  char delimiter_ = ',';
  std::vector<double> values_;
};

}  // namespace

char detect_delimiter(std::string_view line) {
  constexpr std::array<char, 3> kCandidates = {',', ';', '\t'};
  std::array<std::size_t, 3> count{};
  bool inside = false;
  for (const char c : line) {
    if (c == '"') inside = !inside;
    if (inside) continue;
    for (std::size_t k = 0; k < kCandidates.size(); ++k) count[k] += c == kCandidates[k] ? 1u : 0u;
  }
  const auto most = std::max_element(count.begin(), count.end());
  return kCandidates[static_cast<std::size_t>(most - count.begin())];
}

Status read_csv(ByteSource& source, RowSink& sink) { return CsvReader(source, sink).read(); }

Result<std::vector<CsvField>> split_csv_line(std::string_view line, char delimiter,
                                             const std::string& where) {
  std::vector<CsvField> fields;
  std::size_t at = 0;
  for (;;) {
    CsvField field;
    std::size_t end = std::min(line.find(delimiter, at), line.size());
    const std::size_t start = std::min(line.find_first_not_of(' ', at), line.size());
    if (start < line.size() && line[start] == '"') {
      field.quoted = true;
      std::size_t k = start + 1;
      for (;; ++k) {
        if (k >= line.size()) {
          return data_error(column_where(where, fields.size() + 1), "has an unclosed quote",
                            "expected a field on one line");
        }
        if (line[k] != '"') {
          field.text += line[k];
        } else if (k + 1 < line.size() && line[k + 1] == '"') {
          field.text += line[k++];
        } else {
          break;
        }
      }
      end = std::min(line.find(delimiter, k), line.size());
      const std::string_view after = line.substr(k + 1, end - k - 1);
      if (!trim(after).empty()) {
        return data_error(column_where(where, fields.size() + 1),
                          "has " + in_quotes(trim(after)) + " after a quoted field",
                          "expected the delimiter " + in_quotes({&delimiter, 1}));
      }
    } else {
      field.text = trim(line.substr(at, end - at));
    }
    fields.push_back(std::move(field));
    if (end == line.size()) return fields;
    at = end + 1;
  }
}

}  // namespace caucus
