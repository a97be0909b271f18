// Reads a block ahead in a separate thread, so that decompressing a file and parsing it take the
// time of the slower of the two, not of both.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>
#include <future>
#include <span>
#include <utility>
#include <vector>

#include "caucus/result.hpp"

namespace caucus {

class ReadAhead {
 public:
  /// Reads up to a block of bytes and returns their number; 0 means the end.
  using Fill = std::function<Result<std::size_t>(std::span<char>)>;

  /// Calls `fill` from other threads, one call at a time, up to the end or the first error.
  /// If no thread can be started, read() calls it.
  explicit ReadAhead(Fill fill) : fill_(std::move(fill)) { fill_next(); }
  ~ReadAhead() = default;  // waits for the current call
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;
  ReadAhead(ReadAhead&&) = delete;
  ReadAhead& operator=(ReadAhead&&) = delete;

  /// Returns the bytes that `fill` gives, and its error after the bytes before it.
  Result<std::size_t> read(std::span<char> into) {
    std::size_t copied = 0;
    while (copied < into.size()) {
      if (size_.ok() && position_ == *size_ && next_size_.valid()) {
        size_ = next_size_.get();
        position_ = 0;
        block_.swap(next_);
        if (size_.ok() && *size_ > 0) fill_next();
      }
      CAUCUS_TRY(const std::size_t size, size_);
      if (size == 0) break;
      const std::size_t count = std::min(size - position_, into.size() - copied);
      std::memcpy(into.data() + copied, block_.data() + position_, count);
      copied += count;
      position_ += count;
    }
    return copied;
  }

 private:
  static constexpr std::size_t kBlockBytes = std::size_t{1} << 20U;

  void fill_next() {
    constexpr auto kPolicy = std::launch::async | std::launch::deferred;
    next_size_ = std::async(kPolicy, [this] { return fill_(next_); });
  }

  Fill fill_;
  std::vector<char> block_ = std::vector<char>(kBlockBytes);
  std::vector<char> next_ = std::vector<char>(kBlockBytes);
  Result<std::size_t> size_ = std::size_t{0};  // of the block that is being read
  std::size_t position_ = 0;
  std::future<Result<std::size_t>> next_size_;  // the last member: its destructor waits
};

}  // namespace caucus
