// Reads in a thread of its own, a few blocks ahead of whoever wants the bytes: unpacking a file and
// parsing it then take the time of the slower of the two, not of both.
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "caucus/core/base/result.hpp"

namespace caucus {

class ReadAhead {
 public:
  /// Fills a block as far as there are bytes; 0 means the end.
  using Fill = std::function<Result<std::size_t>(std::span<char>)>;

  /// Calls `fill` from the new thread only, up to the end or the first error. Throws
  /// std::system_error where no thread can be had.
  explicit ReadAhead(Fill fill);
  /// Waits for the call of `fill` under way and makes no other.
  ~ReadAhead();
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;
  ReadAhead(ReadAhead&&) = delete;
  ReadAhead& operator=(ReadAhead&&) = delete;

  /// As `fill`, one call after another: the same bytes, and an error in its place among them.
  Result<std::size_t> read(std::span<char> into);

 private:
  static constexpr std::size_t kBlockBytes = 256u << 10;

  struct Block {
    std::vector<char> bytes = std::vector<char>(kBlockBytes);
    Result<std::size_t> size = std::size_t{0};  // what `fill` returned
  };

  void fill_blocks();
  Block& next_full();
  void release_block();

  Fill fill_;
  std::array<Block, 4> blocks_;
  std::size_t position_ = 0;  // in the block that is being read

  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::size_t filled_ = 0;  // blocks so far; block k lies at k modulo their number
  std::size_t taken_ = 0;
  bool stop_ = false;

  std::thread thread_;  // last: it uses all the others
};

}  // namespace caucus
