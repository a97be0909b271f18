// A file, unpacked on the way if it is a gzip one, which its first two bytes tell.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "caucus/core/base/result.hpp"

namespace caucus {

class GzipReader {
 public:
  /// Closes the descriptor in the end; the name is for messages.
  GzipReader(int descriptor, std::string name);
  ~GzipReader();
  GzipReader(const GzipReader&) = delete;
  GzipReader& operator=(const GzipReader&) = delete;
  GzipReader(GzipReader&&) = delete;
  GzipReader& operator=(GzipReader&&) = delete;

  /// Fills `into` as far as there are bytes. A gzip stream that is cut off or fails its checksum is
  /// an error. Several of them one after the other are one; what follows them and is none is left
  /// alone, as gzip itself does.
  Result<std::size_t> read(std::span<char> into);
  /// Whether it is a gzip file; known after the first read().
  [[nodiscard]] bool packed() const { return unpacking_ != nullptr; }
  /// Back to the first byte; false where the file cannot do that.
  bool rewind();

 private:
  struct Unpacking;

  Result<std::size_t> read_plain(std::span<char> into);
  Result<std::size_t> read_packed(std::span<char> into);
  /// Up to `size` bytes of the file itself.
  Result<std::size_t> read_file(char* into, std::size_t size);
  /// More of the file after what is left of the input; gives how much there is then.
  Result<std::size_t> refill();
  [[nodiscard]] bool begins_stream() const;

  int descriptor_;
  std::string name_;
  bool begun_ = false;
  bool at_end_ = false;      ///< of the file
  std::vector<char> input_;  ///< of which [next_, end_) was not used yet
  std::size_t next_ = 0, end_ = 0;
  std::unique_ptr<Unpacking> unpacking_;
};

}  // namespace caucus
