// Where bytes come from: a plain file, a gzip file (told apart by content, not by name), or memory.
// A large gzip file is unpacked in a thread of its own.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "caucus/core/base/result.hpp"

namespace caucus {

class ByteSource {
 public:
  static Result<ByteSource> open(const std::string& path);
  /// The bytes must outlive the source; `name` stands for the path in messages.
  static ByteSource from_memory(std::string_view bytes, std::string name);

  /// Fills `into` as far as there are bytes; 0 means the end. A gzip stream that is cut off or
  /// fails its checksum is an error, never a short file.
  Result<std::size_t> read(std::span<char> into);

  /// Back to the first byte; an error for pipes and terminals, which can be read only once.
  Status rewind();

  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  class File;
  struct Close {
    void operator()(File* file) const;
  };

  std::string name_;
  std::unique_ptr<File, Close> file_;
  std::string_view memory_;
  std::size_t position_ = 0;
};

}  // namespace caucus
