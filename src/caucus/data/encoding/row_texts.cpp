#include "caucus/data/encoding/row_texts.hpp"

#include <cstddef>
#include <span>
#include <unordered_map>
#include <utility>

#include "caucus/data/columns.hpp"
#include "caucus/data/encoding/input_tables.hpp"
#include "caucus/data/files/cells.hpp"

namespace caucus {
namespace {

void append_field(std::string_view field, std::string& line) {
  line += ',';
  if (field.find_first_of(",\"\r\n") == std::string_view::npos) {
    line += field;
    return;
  }
  line += '"';
  for (const char c : field) {  // a field of several lines becomes one
    line += c == '"' ? std::string("\"\"") : std::string(1, c == '\n' || c == '\r' ? ' ' : c);
  }
  line += '"';
}

}  // namespace

std::string header_text(const TableHeader& header, std::optional<std::size_t> target) {
  std::string line;
  for (std::size_t k = 0; k < header.columns; ++k) {
    if (k == target) continue;
    append_field(header.names.empty() ? std::to_string(k + 1) : header.names[k], line);
  }
  return line;
}

std::string row_text(std::span<const std::string_view> cells, std::optional<std::size_t> target) {
  std::string line;
  for (std::size_t k = 0; k < cells.size(); ++k) {
    if (k != target) append_field(cells[k], line);
  }
  return line;
}

namespace {

class TextSink : public CellSink {
 public:
  TextSink(const std::string& target, const Dataset& data, RowTexts& texts)
      : target_word_(target), data_(&data), texts_(&texts) {}

  Status read(const std::string& path, std::size_t first, std::size_t end) {
    path_ = path;
    row_of_line_.clear();
    for (std::size_t row = first; row < end; ++row) row_of_line_[data_->line(row)] = row;
    InputTables tables;
    CAUCUS_TRY(const InputTable table, tables.open(path));
    return read_cells(*table.source, table.format, *this);
  }

  Status header(const CellHeader& header) override {
    CAUCUS_TRY(target_, find_column(target_word_, header, "target", path_));
    texts_->header = header_text(header, target_);
    return Done{};
  }

  Status row(std::span<const std::string_view> cells, std::size_t line) override {
    const auto found = row_of_line_.find(line);
    if (found == row_of_line_.end()) return Done{};  // the data set leaves it out
    texts_->rows[found->second] = row_text(cells, target_);
    return Done{};
  }

 private:
  std::string target_word_, path_;
  std::size_t target_ = 0;
  const Dataset* data_;
  RowTexts* texts_;
  std::unordered_map<std::size_t, std::size_t> row_of_line_;
};

}  // namespace

Result<RowTexts> read_row_texts(const std::vector<std::string>& paths, const std::string& target,
                                const Dataset& data) {
  RowTexts texts;
  texts.rows.resize(data.rows());
  TextSink sink(target, data, texts);
  for (std::size_t file = 0; file < paths.size(); ++file) {
    CAUCUS_CHECK(sink.read(paths[file], data.file_begin()[file], data.file_begin()[file + 1]));
  }
  return texts;
}

}  // namespace caucus
