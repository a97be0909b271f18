// Reads a few blocks ahead in a separate thread, so that decompressing a file and parsing it take
// the time of the slower of the two, not of both.
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "caucus/result.hpp"

namespace caucus {

class ReadAhead {
 public:
  /// Reads up to a block of bytes and returns their number; 0 means the end.
  using Fill = std::function<Result<std::size_t>(std::span<char>)>;

  /// Calls `fill` from the new thread only, up to the end or the first error. Throws
  /// std::system_error if the thread cannot be started.
  explicit ReadAhead(Fill fill);
  /// Waits for the current call of `fill`, if any, and stops.
  ~ReadAhead();
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;
  ReadAhead(ReadAhead&&) = delete;
  ReadAhead& operator=(ReadAhead&&) = delete;

  /// Returns the bytes that `fill` gives, and its error after the bytes before it.
  Result<std::size_t> read(std::span<char> into);

 private:
  static constexpr std::size_t kBlockBytes = 256u << 10;

  struct Block {
    std::vector<char> bytes = std::vector<char>(kBlockBytes);
    Result<std::size_t> size = std::size_t{0};  // the result of `fill`
  };

  void fill_blocks();
  Block& next_full();
  void release_block();

  Fill fill_;
  std::array<Block, 4> blocks_;
  std::size_t position_ = 0;  // in the block that is being read

  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::size_t filled_ = 0;  // number of filled blocks; block k is blocks_[k % size]
  std::size_t taken_ = 0;
  bool stop_ = false;

  std::thread thread_;  // the last member, because the thread uses all others
};

}  // namespace caucus
