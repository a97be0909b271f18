// Memory for floats that stays where it is until all of it is given back at once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "caucus/core/base/aligned.hpp"
#include "caucus/core/simd/kernel_table.hpp"

namespace caucus {

class FloatArena {
 public:
  /// Begins on a cache line; the numbers are what was left there.
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
    constexpr std::size_t kChunk = 8192;
    while (used_ < chunks_.size() && chunks_[used_].size() < floats) ++used_;
    if (used_ == chunks_.size()) chunks_.emplace_back(std::max(kChunk, floats));
    next_ = chunks_[used_].data();
    end_ = next_ + chunks_[used_].size();
    ++used_;
  }

  std::vector<AlignedVector<float>> chunks_;
  std::size_t used_ = 0;  ///< chunks; of the last of them [next_, end_) is left
  float* next_ = nullptr;
  float* end_ = nullptr;
};

}  // namespace caucus
