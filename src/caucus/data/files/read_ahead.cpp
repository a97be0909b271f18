#include "caucus/data/files/read_ahead.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace caucus {

ReadAhead::ReadAhead(Fill fill) : fill_(std::move(fill)), thread_([this] { fill_blocks(); }) {}

ReadAhead::~ReadAhead() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void ReadAhead::fill_blocks() {
  for (bool more = true; more;) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return stop_ || filled_ - taken_ < blocks_.size(); });
    if (stop_) return;
    Block& block = blocks_[filled_ % blocks_.size()];
    lock.unlock();
    block.size = fill_(block.bytes);
    more = block.size.ok() && *block.size > 0;
    lock.lock();
    ++filled_;
    lock.unlock();
    changed_.notify_all();
  }
}

ReadAhead::Block& ReadAhead::next_full() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return filled_ > taken_; });
  return blocks_[taken_ % blocks_.size()];
}

void ReadAhead::release_block() {
  {
    const std::lock_guard lock(mutex_);
    ++taken_;
  }
  changed_.notify_all();
  position_ = 0;
}

Result<std::size_t> ReadAhead::read(std::span<char> into) {
  std::size_t copied = 0;
  while (copied < into.size()) {
    const Block& block = next_full();
    // The block with the end or an error is never released, so that later calls return it too.
    CAUCUS_TRY(const std::size_t size, block.size);
    if (size == 0) break;
    const std::size_t count = std::min(size - position_, into.size() - copied);
    std::memcpy(into.data() + copied, block.bytes.data() + position_, count);
    copied += count;
    position_ += count;
    if (position_ == size) release_block();
  }
  return copied;
}

}  // namespace caucus
