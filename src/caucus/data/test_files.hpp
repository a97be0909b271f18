// For tests: a temporary directory, files in it, and a sink that stores the rows it receives.
#pragma once

#include <unistd.h>
#include <zlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "caucus/data/files/cells.hpp"
#include "caucus/data/table.hpp"

namespace caucus {

class TestFiles {
 public:
  TestFiles() {
    std::string name = (std::filesystem::temp_directory_path() / "caucus-XXXXXX").string();
    directory_ = mkdtemp(name.data());
  }
  ~TestFiles() {
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }
  TestFiles(const TestFiles&) = delete;
  TestFiles& operator=(const TestFiles&) = delete;
  TestFiles(TestFiles&&) = delete;
  TestFiles& operator=(TestFiles&&) = delete;

  [[nodiscard]] std::string path(const std::string& name) const {
    return (directory_ / name).string();
  }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }
  std::string write_gzip(const std::string& name, const std::string& text) const {
    gzFile file = gzopen(path(name).c_str(), "wb");
    gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
    gzclose(file);
    return path(name);
  }
  [[nodiscard]] std::string read(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(path(name), std::ios::binary).rdbuf();
    return text.str();
  }
  [[nodiscard]] std::size_t count() const {
    std::size_t files = 0;
    for ([[maybe_unused]] const auto& each : std::filesystem::directory_iterator(directory_)) {
      ++files;
    }
    return files;
  }

 private:
  std::filesystem::path directory_;
};

struct KeepingSink : RowSink {
  Status header(const TableHeader& given) override {
    head = given;
    return Done{};
  }
  Status row(std::span<const double> values, std::size_t line) override {
    rows.emplace_back(values.begin(), values.end());
    lines.push_back(line);
    return Done{};
  }

  TableHeader head;
  std::vector<std::vector<double>> rows;
  std::vector<std::size_t> lines;
};

/// Returns the one-line error of reading `text` in the given format, or "" if there is none.
inline std::string table_error(TableFormat format, std::string_view text) {
  ByteSource source = ByteSource::from_memory(text, "f");
  KeepingSink sink;
  const auto status = read_table(source, format, sink);
  return status.ok() ? "" : status.error().line();
}

inline KeepingSink table_of(TableFormat format, std::string_view text) {
  ByteSource source = ByteSource::from_memory(text, "f");
  KeepingSink sink;
  const auto status = read_table(source, format, sink);
  if (!status.ok()) sink.rows.clear();
  return sink;
}

struct KeepingCells : CellSink {
  Status header(const CellHeader& given) override {
    head = given;
    return Done{};
  }
  Status row(std::span<const std::string_view> cells, std::size_t line) override {
    rows.emplace_back(cells.begin(), cells.end());
    lines.push_back(line);
    return Done{};
  }

  CellHeader head;
  std::vector<std::vector<std::string>> rows;
  std::vector<std::size_t> lines;
};

/// Returns the one-line error of reading `text` as a table of texts, or "" if there is none.
inline std::string cells_error(TableFormat format, std::string_view text) {
  ByteSource source = ByteSource::from_memory(text, "f");
  KeepingCells sink;
  const auto status = read_cells(source, format, sink);
  return status.ok() ? "" : status.error().line();
}

inline KeepingCells cells_of(TableFormat format, std::string_view text) {
  ByteSource source = ByteSource::from_memory(text, "f");
  KeepingCells sink;
  const auto status = read_cells(source, format, sink);
  if (!status.ok()) sink.rows.clear();
  return sink;
}

}  // namespace caucus
