#include "caucus/data/encoding/raw_table.hpp"

#include <algorithm>
#include <utility>

#include "caucus/data/columns.hpp"
#include "caucus/data/encoding/column_uses.hpp"
#include "caucus/data/encoding/encoding.hpp"
#include "caucus/data/files/line_reader.hpp"
#include "caucus/data/files/number.hpp"

namespace caucus {
namespace {

class EncodingSink : public CellSink {
 public:
  EncodingSink(Encoder& encoder, std::string file, RowSink& sink)
      : encoder_(encoder), file_(std::move(file)), sink_(sink) {}

  Status header(const CellHeader& header) override {
    CAUCUS_CHECK(encoder_.begin(header, file_));
    return sink_.header(encoder_.encoded_header());
  }
  Status row(std::span<const std::string_view> cells, std::size_t line) override {
    ++rows;
    CAUCUS_TRY(const bool whole, encoder_.encode(cells, line, numbers_));
    return whole ? sink_.row(numbers_, line) : Status(Done{});
  }

  std::size_t rows = 0;

 private:
  Encoder& encoder_;
  std::string file_;
  RowSink& sink_;
  std::vector<double> numbers_;
};

/// Keeps all rows and gives them to another sink in the order of their times. Rows of one time stay
/// in their order.
class SortedCells : public CellSink {
 public:
  SortedCells(std::string time, std::string file, CellSink& sink)
      : time_(std::move(time)), file_(std::move(file)), sink_(sink) {}

  Status header(const CellHeader& header) override {
    CAUCUS_TRY(column_, find_column(time_, header, "time", file_));
    header_ = {header.names, header.columns};
    return sink_.header(header);
  }
  Status row(std::span<const std::string_view> cells, std::size_t line) override {
    rows_.push_back({line, {cells.begin(), cells.end()}});
    day_first_ = day_first_ || !parse_time_or_stamp(cells[column_], false);
    return Done{};
  }
  Status give_sorted() {
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      const std::string& cell = rows_[k].cells[column_];
      auto days = parse_time_or_stamp(cell, day_first_);
      if (!days) days = parse_time_or_stamp(cell, !day_first_);
      if (!days) {
        return data_error(
            file_ + ":" + std::to_string(rows_[k].line) + ": " + column_words(header_, column_),
            in_quotes(cell) + " is not a date or time",
            "expected one in every row, by which rows are sorted");
      }
      order.emplace_back(*days, k);
    }
    std::sort(order.begin(), order.end());
    std::vector<std::string_view> cells;
    for (const auto& [days, k] : order) {
      cells.assign(rows_[k].cells.begin(), rows_[k].cells.end());
      CAUCUS_CHECK(sink_.row(cells, rows_[k].line));
    }
    return Done{};
  }

 private:
  struct Row {
    std::size_t line;
    std::vector<std::string> cells;
  };

  std::string time_, file_;
  CellSink& sink_;
  TableHeader header_;
  std::size_t column_ = 0;
  bool day_first_ = false;
  std::vector<Row> rows_;
};

/// Says which columns are not used, and why.
void note_left_out(const std::vector<ColumnUse>& uses, const TableHeader& header,
                   std::vector<std::string>& notes) {
  for (std::size_t c = 0; c < uses.size(); ++c) {
    if (!uses[c].left_out.empty() && uses[c].left_out != "as asked") {
      notes.push_back("leaves out " + column_words(header, c) + " (" + uses[c].left_out + ")");
    }
    if (uses[c].doubt) notes.push_back(*uses[c].doubt);
  }
}

}  // namespace

Result<TableProfile> profile_tables(InputTables& tables, const std::vector<std::string>& paths,
                                    const ReadOptions& options, bool keep_ragged) {
  TableProfile profile;
  profile.expect_times(options.time);
  if (keep_ragged) profile.keep_ragged();
  for (const std::string& path : paths) {
    CAUCUS_TRY(const InputTable table, tables.open(path));
    profile.begin(table.name);
    CAUCUS_CHECK(read_cells(*table.source, table.format, profile));
  }
  return profile;
}

Result<std::vector<Encoding>> found_encodings(InputTables& tables,
                                              const std::vector<std::string>& paths,
                                              const ReadOptions& options,
                                              std::vector<std::string>& notes) {
  CAUCUS_TRY(const TableProfile profile, profile_tables(tables, paths, options, false));
  CAUCUS_TRY(const std::vector<ColumnUse> uses, column_uses(profile, options));
  std::vector<Encoding> encodings;
  for (const ColumnUse& use : uses) {
    if (use.problem) return *use.problem;
    encodings.push_back(use.encoding);
  }
  if (profile.head().is_guess) notes.emplace_back("takes the first line for the names of columns");
  note_left_out(uses, profile.head(), notes);
  return encodings;
}

Result<std::size_t> encode_table(const InputTable& table, Encoder& encoder, const std::string& time,
                                 RowSink& sink) {
  EncodingSink encoding(encoder, table.name, sink);
  if (time.empty()) {
    CAUCUS_CHECK(read_cells(*table.source, table.format, encoding));
    return encoding.rows;
  }
  SortedCells sorted(time, table.name, encoding);
  CAUCUS_CHECK(read_cells(*table.source, table.format, sorted));
  CAUCUS_CHECK(sorted.give_sorted());
  return encoding.rows;
}

}  // namespace caucus
