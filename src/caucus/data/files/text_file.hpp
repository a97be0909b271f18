// Reads and writes text files.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "caucus/data/files/output_file.hpp"
#include "caucus/result.hpp"

namespace caucus {

/// Returns the content of the file. A file that cannot be read, or has more than `most` bytes (a
/// device may never end), is an error of the given kind.
Result<std::string> read_text(const std::string& path, ErrorKind kind, std::size_t most);

/// Writes text to an OutputFile and compresses it if the name ends in .gz.
class TextWriter {
 public:
  static Result<TextWriter> create(const std::string& path);

  Status write(std::string_view text);
  Status commit();

 private:
  struct Deflate;
  struct End {
    void operator()(Deflate* deflate) const;
  };

  explicit TextWriter(OutputFile file) : file_(std::move(file)) {}
  Status compress(std::string_view text, int flush);

  OutputFile file_;
  std::unique_ptr<Deflate, End> deflate_;  // null for plain text
};

}  // namespace caucus
