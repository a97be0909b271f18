#include "caucus/data/convert.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

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

class FileSink : public RowSink {
 public:
  FileSink(TextWriter& out, TableFormat format) : out_(out), format_(format) {}

  Status header(const TableHeader& header) override {
    return format_ == TableFormat::csv ? out_.write(header_line(header.names)) : Status(Done{});
  }
  Status row(std::span<const double> values, std::size_t) override {
    format_ == TableFormat::csv ? csv_line(values, line_) : libsvm_line(values);
    return out_.write(line_);
  }

 private:
  void libsvm_line(std::span<const double> values) {
    line_.clear();
    append_number(line_, values.back());
    const std::size_t features = values.size() - 1;
    for (std::size_t k = 0; k < features; ++k) {
      // The first row names the last index even if its value is 0, to preserve the dimension.
      if (values[k] == 0.0 && !(first_ && k + 1 == features)) continue;
      line_.append(" ").append(std::to_string(k + 1)).append(":");
      append_number(line_, values[k]);
    }
    first_ = false;
    line_ += '\n';
  }

  TextWriter& out_;
  TableFormat format_;
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
class SplitSink : public RowSink {
 public:
  SplitSink(std::size_t clients, std::filesystem::path directory)
      : clients_(clients), directory_(std::move(directory)) {}

  Status header(const TableHeader& header) override {
    header_ = header_line(header.names);
    return Done{};
  }

  Status row(std::span<const double> values, std::size_t) override {
    const std::size_t client = rows_++ % clients_;
    if (client == files_.size()) {
      CAUCUS_TRY(OutputFile file, OutputFile::create(path(client)));
      files_.push_back(std::move(file));
      CAUCUS_CHECK(files_.back().write(header_));
    }
    csv_line(values, line_);
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
  CAUCUS_TRY(TextWriter out, TextWriter::create(to));
  FileSink sink(out, format);
  CAUCUS_CHECK(read_table(from, sink));
  return out.commit();
}

Status split_table(const std::string& from, std::size_t clients, const std::string& directory) {
  if (clients == 0) return usage_error("clients", "0", "expected at least one");
  if (directory.empty()) return usage_error("directory", "is empty", "expected its name");
  CAUCUS_TRY(NewDirectory made, NewDirectory::make(directory));
  CAUCUS_CHECK(no_stale_clients(directory, clients));
  SplitSink sink(clients, directory);
  CAUCUS_CHECK(read_table(from, sink));
  CAUCUS_CHECK(sink.commit(from));
  made.keep();
  return Done{};
}

}  // namespace caucus
