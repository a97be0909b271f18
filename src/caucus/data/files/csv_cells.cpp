#include <algorithm>
#include <utility>

#include "caucus/data/files/cells.hpp"
#include "caucus/data/files/line_reader.hpp"
#include "caucus/data/files/number.hpp"

namespace caucus {
namespace {

/// What kind of value a field is, to tell a header from the rows below it.
enum class Look { missing, number, time, text };

Look look_of(const CsvField& field, bool decimal_comma) {
  double value = 0.0;
  if (is_missing(field.text)) return Look::missing;
  const NumberForm form = parse_cell(field.text, decimal_comma, value);
  if (form != NumberForm::text) return Look::number;
  return parse_time(field.text, false) || parse_time(field.text, true) ? Look::time : Look::text;
}

Status refuse_binary(std::string_view line, const std::string& name) {
  if (line.starts_with("PAR1")) {
    return data_error(name, "is a Parquet file, which this program does not read",
                      "expected CSV, as pandas.read_parquet(...).to_csv(..., index=False) or "
                      "DuckDB's COPY writes it");
  }
  if (line.starts_with("PK\x03\x04")) {
    return data_error(name, "is a zip archive or a spreadsheet", "expected CSV, exported from it");
  }
  if (line.starts_with("\xFF\xFE") || line.starts_with("\xFE\xFF")) {
    return data_error(name, "is in UTF-16", "expected UTF-8, as iconv -f UTF-16 -t UTF-8 makes it");
  }
  return Done{};
}

class CsvCells {
 public:
  CsvCells(ByteSource& source, CellSink& sink)
      : name_(source.name()), lines_(source), sink_(sink) {}

  Status read() {
    CAUCUS_TRY(bool more, next());
    if (!more) return data_error(name_, "is empty", "expected rows of values");
    CAUCUS_CHECK(take_first_rows());
    for (const auto& [fields, line] : first_) {
      take_cells(fields);
      CAUCUS_CHECK(give(line));
    }
    for (;;) {
      CAUCUS_TRY(more, next());
      if (!more) break;
      if (line_.find('"') == std::string_view::npos) {
        split_plain();
        CAUCUS_CHECK(give(lines_.line_number()));
        continue;
      }
      CAUCUS_TRY(const auto fields, split());
      take_cells(fields);
      CAUCUS_CHECK(give(begin_));
    }
    if (rows_ > 0) return Done{};
    return data_error(name_, "has a header but no rows", "expected rows below it");
  }

 private:
  struct Row {
    std::vector<CsvField> fields;
    std::size_t line;
  };

  /// Moves to the next line that is not blank.
  Result<bool> next() {
    for (;;) {
      CAUCUS_TRY(const bool more, lines_.next(line_));
      if (!more) return false;
      if (lines_.line_number() == 1) CAUCUS_CHECK(refuse_binary(line_, name_));
      if (line_.find_first_not_of(' ') != std::string_view::npos) return true;
    }
  }

  /// Splits the line, and those after it while a quoted field goes on.
  Result<std::vector<CsvField>> split() {
    constexpr std::size_t kMostLines = 1000;
    begin_ = lines_.line_number();
    where_ = lines_.where();
    if (line_.find('"') == std::string_view::npos) return split_csv_line(line_, delimiter_, where_);
    if (is_closed(line_)) return split_csv_line(line_, delimiter_, where_);
    joined_ = line_;
    for (std::size_t k = 0; k < kMostLines && !is_closed(joined_); ++k) {
      CAUCUS_TRY(const bool more, lines_.next(line_));
      if (!more) break;
      joined_.append("\n").append(line_);
    }
    return split_csv_line(joined_, delimiter_, where_);
  }

  /// Whether no quoted field is open at the end. Quotes that do not begin a field are text.
  [[nodiscard]] bool is_closed(std::string_view text) const {
    bool at_start = true;
    bool inside = false;
    for (std::size_t k = 0; k < text.size(); ++k) {
      if (inside) {
        if (text[k] != '"') continue;
        if (k + 1 < text.size() && text[k + 1] == '"') {
          ++k;
        } else {
          inside = at_start = false;
        }
      } else if (text[k] == '"' && at_start) {
        inside = true;
      } else {
        at_start = text[k] == delimiter_ || (at_start && text[k] == ' ');
      }
    }
    return !inside;
  }

  /// Reads enough rows to tell whether the first one is a header.
  Status take_first_rows() {
    constexpr std::size_t kLooked = 50;
    delimiter_ = detect_delimiter(line_);
    header_.decimal_comma = delimiter_ != ',';
    for (bool more = true; more && first_.size() <= kLooked;) {
      CAUCUS_TRY(auto fields, split());
      first_.push_back({std::move(fields), begin_});
      if (first_.size() > kLooked) break;
      CAUCUS_TRY(more, next());
    }
    header_.columns = first_[0].fields.size();
    if (first_is_header()) {
      for (std::size_t c = 0; c < header_.columns; ++c) {
        const std::string& name = first_[0].fields[c].text;
        header_.names.push_back(name.empty() ? std::to_string(c + 1) : name);
        given_.push_back(name);
      }
      first_.erase(first_.begin());
    }
    return sink_.header(header_);
  }

  /// A row of names is a header, unless times stand above times. A row of names and numbers is one
  /// if names stand above numbers in at least as many columns as numbers do.
  [[nodiscard]] bool first_is_header() {
    const std::vector<CsvField>& top = first_[0].fields;
    std::size_t numbers = 0, above = 0, alike = 0, times = 0;
    for (std::size_t c = 0; c < top.size(); ++c) {
      const bool named = top[c].quoted && !top[c].text.empty();
      const Look look = look_of(top[c], header_.decimal_comma);
      const Look below = look_below(c);
      const bool is_number = look == Look::number && !named;
      numbers += is_number ? 1 : 0;
      alike += is_number && below == Look::number ? 1 : 0;
      above += !is_number && look != Look::missing && below == Look::number ? 1 : 0;
      times += look == Look::time && below == Look::time ? 1 : 0;
    }
    if (numbers == 0) return times == 0;
    header_.is_guess = above > 0 && above >= alike;
    return header_.is_guess;
  }

  /// Returns the look of the first value in a column below the first row.
  [[nodiscard]] Look look_below(std::size_t column) const {
    for (std::size_t r = 1; r < first_.size(); ++r) {
      if (column >= first_[r].fields.size()) continue;
      const Look look = look_of(first_[r].fields[column], header_.decimal_comma);
      if (look != Look::missing) return look;
    }
    return Look::missing;
  }

  void take_cells(const std::vector<CsvField>& fields) {
    cells_.clear();
    for (const CsvField& field : fields) cells_.emplace_back(field.text);
  }

  /// Splits a line without quotes.
  void split_plain() {
    cells_.clear();
    for (std::size_t at = 0;;) {
      const std::size_t end = std::min(line_.find(delimiter_, at), line_.size());
      cells_.push_back(trim(line_.substr(at, end - at)));
      if (end == line_.size()) return;
      at = end + 1;
    }
  }

  Status give(std::size_t line) {
    if (cells_.size() != header_.columns) {
      ++rows_;
      return sink_.ragged(data_error(name_ + ":" + std::to_string(line),
                                     "has " + std::to_string(cells_.size()) + " fields",
                                     "expected " + std::to_string(header_.columns)));
    }
    if (!given_.empty() && std::equal(cells_.begin(), cells_.end(), given_.begin())) return Done{};
    ++rows_;
    return sink_.row(cells_, line);
  }

  std::string name_;
  LineReader lines_;
  CellSink& sink_;
  std::string_view line_;
  std::string joined_, where_;
  std::size_t begin_ = 0;  ///< the line on which the row begins
  char delimiter_ = ',';
  CellHeader header_;
  std::vector<std::string> given_;  ///< the header as it is written
  std::vector<Row> first_;
  std::vector<std::string_view> cells_;
  std::size_t rows_ = 0;
};

/// Turns rows of numbers into texts.
class NumberCells : public RowSink {
 public:
  explicit NumberCells(CellSink& sink) : sink_(sink) {}

  Status header(const TableHeader& header) override {
    CellHeader cells;
    static_cast<TableHeader&>(cells) = header;
    return sink_.header(cells);
  }
  Status row(std::span<const double> values, std::size_t line) override {
    texts_.assign(values.size(), {});
    cells_.clear();
    for (std::size_t c = 0; c < values.size(); ++c) {
      append_number(texts_[c], values[c]);
      cells_.emplace_back(texts_[c]);
    }
    return sink_.row(cells_, line);
  }

 private:
  CellSink& sink_;
  std::vector<std::string> texts_;
  std::vector<std::string_view> cells_;
};

}  // namespace

Status read_csv_cells(ByteSource& source, CellSink& sink) { return CsvCells(source, sink).read(); }

Status read_cells(ByteSource& source, TableFormat format, CellSink& sink) {
  if (format == TableFormat::csv) return read_csv_cells(source, sink);
  if (format == TableFormat::arff) return read_arff_cells(source, sink);
  NumberCells numbers(sink);
  return read_libsvm(source, numbers);
}

}  // namespace caucus
