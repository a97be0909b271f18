// A source of bytes: a plain file, a gzip file (recognised by its content, not by its name), or
// memory. A large gzip file is decompressed in a separate thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "caucus/result.hpp"

namespace caucus {

/// Bytes that this process has read from files so far, before they are decompressed.
std::atomic<std::uint64_t>& bytes_read();

class ByteSource {
 public:
  /// Opens a file; "-" is standard input.
  static Result<ByteSource> open(const std::string& path);
  /// The bytes must outlive the source. `name` replaces the path in messages.
  static ByteSource from_memory(std::string_view bytes, std::string name);

  /// Reads up to into.size() bytes and returns their number; 0 means the end. A truncated gzip
  /// stream, or one with a wrong checksum, is an error.
  Result<std::size_t> read(std::span<char> into);

  /// Returns to the first byte. What was read of a stream is kept in memory for that.
  Status rewind();
  /// Whether it is a pipe or a terminal, or standard input: opening it again would give other
  /// bytes.
  [[nodiscard]] bool is_stream() const;

  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  struct File;
  struct Close {
    void operator()(File* file) const;
  };

  std::string name_;
  std::unique_ptr<File, Close> file_;
  std::string_view memory_;
  std::size_t position_ = 0;
};

}  // namespace caucus
