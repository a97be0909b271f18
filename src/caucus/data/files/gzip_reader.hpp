// Reads a file and decompresses it if its first two bytes are those of a gzip file.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "caucus/result.hpp"

namespace caucus {

class GzipReader {
 public:
  /// The reader owns the descriptor. `name` is for messages.
  GzipReader(int descriptor, std::string name);
  ~GzipReader();
  GzipReader(const GzipReader&) = delete;
  GzipReader& operator=(const GzipReader&) = delete;
  GzipReader(GzipReader&&) = delete;
  GzipReader& operator=(GzipReader&&) = delete;

  /// Reads up to into.size() bytes and returns their number; 0 means the end. A truncated gzip
  /// stream, or one with a wrong checksum, is an error. Concatenated streams are read as one, and
  /// other bytes after the last stream are ignored, as gzip does.
  Result<std::size_t> read(std::span<char> into);
  /// Returns whether the file is compressed. Valid after the first read().
  [[nodiscard]] bool packed() const { return unpacking_ != nullptr; }
  /// Returns to the first byte; false if the file does not support seeking.
  bool rewind();

 private:
  struct Unpacking;

  Result<std::size_t> read_plain(std::span<char> into);
  Result<std::size_t> read_packed(std::span<char> into);
  /// Reads up to `size` bytes of the file without decompressing.
  Result<std::size_t> read_file(char* into, std::size_t size);
  /// Reads more of the file behind the unused input; returns the number of unused bytes.
  Result<std::size_t> refill();
  [[nodiscard]] bool begins_stream() const;

  int descriptor_;
  std::string name_;
  bool begun_ = false;
  bool at_end_ = false;      ///< whether the whole file was read
  std::vector<char> input_;  ///< [next_, end_) is unused
  std::size_t next_ = 0, end_ = 0;
  std::unique_ptr<Unpacking> unpacking_;
};

}  // namespace caucus
