#include "caucus/data/convert.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include "caucus/data/encoding/encoding.hpp"
#include "caucus/data/encoding/raw_table.hpp"
#include "caucus/data/files/cells.hpp"
#include "caucus/data/files/number.hpp"
#include "caucus/data/files/text_file.hpp"
#include "caucus/data/table.hpp"

namespace caucus {
namespace {

std::string header_line(const std::vector<std::string>& names) {
  std::string line;
  for (const std::string& name : names) line.append(line.empty() ? "" : ",").append(csv_name(name));
  if (!names.empty()) line += '\n';
  return line;
}

/// Appends a field, quoted if it could be read as several.
void append_cell(std::string& line, std::string_view cell) {
  if (cell.find_first_of(",;\t\r\n\"") == std::string_view::npos && trim(cell) == cell) {
    line.append(cell);
    return;
  }
  line += '"';
  for (const char c : cell) line.append(c == '"' ? 2 : 1, c);
  line += '"';
}

void cells_line(std::span<const std::string_view> cells, std::string& line) {
  line.clear();
  for (const std::string_view cell : cells) {
    if (!line.empty()) line += ',';
    append_cell(line, cell);
  }
  line += '\n';
}

class CsvSink : public CellSink {
 public:
  explicit CsvSink(TextWriter& out) : out_(out) {}

  Status header(const CellHeader& header) override { return out_.write(header_line(header.names)); }
  Status row(std::span<const std::string_view> cells, std::size_t) override {
    cells_line(cells, line_);
    return out_.write(line_);
  }

 private:
  TextWriter& out_;
  std::string line_;
};

/// Writes rows of numbers with the target as the label.
class LibsvmSink : public RowSink {
 public:
  LibsvmSink(TextWriter& out, std::size_t target) : out_(out), target_(target) {}

  Status header(const TableHeader&) override { return Done{}; }
  Status row(std::span<const double> values, std::size_t) override {
    line_.clear();
    append_number(line_, values[target_]);
    std::size_t feature = 0;
    for (std::size_t k = 0; k < values.size(); ++k) {
      if (k == target_) continue;
      ++feature;
      // The first row names the last index even if its value is 0, to preserve the dimension.
      if (values[k] == 0.0 && !(first_ && feature + 1 == values.size())) continue;
      line_.append(" ").append(std::to_string(feature)).append(":");
      append_number(line_, values[k]);
    }
    first_ = false;
    line_ += '\n';
    return out_.write(line_);
  }

 private:
  TextWriter& out_;
  std::size_t target_;
  std::string line_;
  bool first_ = true;
};

/// Returns c01.csv, c02.csv, .. with as many digits as the count needs, at least two.
std::string client_file(std::size_t client, std::size_t clients) {
  const std::size_t width = std::max<std::size_t>(2, std::to_string(clients).size());
  const std::string number = std::to_string(client + 1);
  std::string name = "c";
  return name.append(width - number.size(), '0').append(number).append(".csv");
}

/// Refuses a directory with client files of another split, since a run would read them too.
Status no_stale_clients(const std::string& directory, std::size_t clients) {
  std::error_code code;
  for (std::filesystem::directory_iterator entry(directory, code), end; !code && entry != end;
       entry.increment(code)) {
    const std::string name = entry->path().filename().string();
    const bool client = name.size() > 5 && name[0] == 'c' && name.ends_with(".csv");
    std::size_t number = 0;
    if (!client || !parse_count(std::string_view(name).substr(1, name.size() - 5), number))
      continue;
    if (number == 0 || number > clients || client_file(number - 1, clients) != name) {
      return usage_error(directory, "holds " + in_quotes(name) + " of another split",
                         "expected a directory without other client files");
    }
  }
  return Done{};
}

/// Creates a file at its first row, so that a wrong count creates few files.
class SplitSink : public CellSink {
 public:
  SplitSink(std::size_t clients, std::filesystem::path directory)
      : clients_(clients), directory_(std::move(directory)) {}

  Status header(const CellHeader& header) override {
    header_ = header_line(header.names);
    return Done{};
  }

  Status row(std::span<const std::string_view> cells, std::size_t) override {
    const std::size_t client = rows_++ % clients_;
    if (client == files_.size()) {
      CAUCUS_TRY(OutputFile file, OutputFile::create(path(client)));
      files_.push_back(std::move(file));
      CAUCUS_CHECK(files_.back().write(header_));
    }
    cells_line(cells, line_);
    return files_[client].write(line_);
  }

  Status commit(const std::string& from) {
    if (rows_ < clients_) {
      return data_error(from, "has " + counted(rows_, "row"),
                        "expected at least one per client (" + std::to_string(clients_) + ")");
    }
    for (std::size_t client = 0; client < clients_; ++client) {
      auto status = files_[client].commit();
      if (status.ok()) continue;
      std::error_code ignored;
      for (std::size_t k = 0; k < client; ++k) std::filesystem::remove(path(k), ignored);
      return status;
    }
    return Done{};
  }

 private:
  [[nodiscard]] std::string path(std::size_t client) const {
    return (directory_ / client_file(client, clients_)).string();
  }

  std::size_t clients_;
  std::filesystem::path directory_;
  std::string header_;
  std::string line_;
  std::vector<OutputFile> files_;
  std::size_t rows_ = 0;
};

}  // namespace

Status convert_table(const std::string& from, const std::string& to) {
  const TableFormat format = table_format(to);
  if (format == TableFormat::arff) {
    return usage_error(to, "ARFF is read but not written", "expected .csv, .csv.gz or .libsvm");
  }
  InputTables tables;
  CAUCUS_TRY(TextWriter out, TextWriter::create(to));
  if (format == TableFormat::csv) {
    CAUCUS_TRY(const InputTable table, tables.open(from));
    CsvSink sink(out);
    CAUCUS_CHECK(read_cells(*table.source, table.format, sink));
    return out.commit();
  }
  std::vector<std::string> notes;
  CAUCUS_TRY(std::vector<Encoding> encodings, found_encodings(tables, {from}, {}, notes));
  CAUCUS_TRY(const Scaling columns, encoded_scaling(encodings, 0, {}));
  Encoder encoder(std::move(encodings), {});
  CAUCUS_TRY(const InputTable table, tables.open(from));
  LibsvmSink sink(out, columns.target_column);
  CAUCUS_CHECK(encode_table(table, encoder, "", sink));
  return out.commit();
}

Status split_table(const std::string& from, std::size_t clients, const std::string& directory) {
  if (clients == 0) return usage_error("clients", "0", "expected at least one");
  if (directory.empty()) return usage_error("directory", "is empty", "expected its name");
  CAUCUS_TRY(NewDirectory made, NewDirectory::make(directory));
  CAUCUS_CHECK(no_stale_clients(directory, clients));
  InputTables tables;
  CAUCUS_TRY(const InputTable table, tables.open(from));
  SplitSink sink(clients, directory);
  CAUCUS_CHECK(read_cells(*table.source, table.format, sink));
  CAUCUS_CHECK(sink.commit(from));
  made.keep();
  return Done{};
}

}  // namespace caucus
