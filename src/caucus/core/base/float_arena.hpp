// An arena of floats: blocks keep their addresses until clear() releases all of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "caucus/core/base/aligned.hpp"
#include "caucus/core/simd/kernel_table.hpp"

namespace caucus {

class FloatArena {
 public:
  FloatArena() = default;
  FloatArena(const FloatArena&) {}  ///< empty: the blocks belong to the other
  FloatArena& operator=(const FloatArena& other) { return *this = FloatArena(other); }
  FloatArena(FloatArena&& other) noexcept { *this = std::move(other); }
  FloatArena& operator=(FloatArena&& other) noexcept {
    chunks_ = std::move(other.chunks_);
    used_ = other.used_;
    next_ = other.next_;
    end_ = other.end_;
    other.chunks_.clear();
    other.clear();
    return *this;
  }
  ~FloatArena() = default;

  /// Returns an uninitialised block that begins on a cache line.
  float* take(std::size_t floats) {
    const std::size_t room = simd::padded(floats);
    if (static_cast<std::size_t>(end_ - next_) < room) next_chunk(room);
    float* const taken = next_;
    next_ += room;
    return taken;
  }
  void clear() {
    used_ = 0;
    next_ = nullptr;
    end_ = nullptr;
  }

 private:
  void next_chunk(std::size_t floats) {
    constexpr std::size_t kLeast = 64;
    constexpr std::size_t kMost = 8192;
    while (used_ < chunks_.size() && chunks_[used_].size() < floats) ++used_;
    if (used_ == chunks_.size()) {  // a single report is small, a tile is large
      const std::size_t more = chunks_.empty() ? kLeast : 2 * chunks_.back().size();
      chunks_.emplace_back(std::max(std::min(more, kMost), floats));
    }
    next_ = chunks_[used_].data();
    end_ = next_ + chunks_[used_].size();
    ++used_;
  }

  std::vector<AlignedVector<float>> chunks_;
  std::size_t used_ = 0;  ///< chunks in use; [next_, end_) is free in the last one
  float* next_ = nullptr;
  float* end_ = nullptr;
};

}  // namespace caucus
