// Reads the lines of a byte source. The buffer grows only for a line that is longer than it.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "caucus/data/files/byte_source.hpp"
#include "caucus/result.hpp"

namespace caucus {

class LineReader {
 public:
  static constexpr std::size_t kLongestLine = 64u << 20;

  /// The source must outlive the reader.
  explicit LineReader(ByteSource& source) : source_(&source) {}

  /// Sets `line` to the next line without its LF or CRLF, valid until the next call. Returns false
  /// at the end. A UTF-8 byte order mark before the first line is skipped, and the last line needs
  /// no line end.
  Result<bool> next(std::string_view& line);

  /// The number of the last line, counted from 1.
  [[nodiscard]] std::size_t line_number() const { return number_; }
  /// "file:LINE", for messages.
  [[nodiscard]] std::string where() const;

 private:
  Result<bool> refill();

  ByteSource* source_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t number_ = 0;
};

/// "file:LINE: column N" with N from 1.
std::string column_where(const std::string& line_where, std::size_t column);

}  // namespace caucus
