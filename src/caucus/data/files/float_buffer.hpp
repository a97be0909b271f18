// A growing array of floats. std::vector copies when it grows, so that the old and the new block
// exist at the same time. realloc moves the pages of a large block without copying them, and
// reserved pages that were never written are not resident.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <span>

namespace caucus {

class FloatBuffer {
 public:
  /// Appends `count` uninitialised floats and returns the first. Returns null if memory is
  /// exhausted; the content then stays as it is.
  float* append(std::size_t count) {
    if (count > kMost - size_) return nullptr;
    const std::size_t needed = size_ + count;
    if (needed > capacity_ && !resize(std::max(needed, capacity_ + capacity_ / 2 + kFirst))) {
      return nullptr;
    }
    float* room = data_.get() + size_;
    size_ = needed;
    return room;
  }

  void shrink() {
    if (size_ > 0) resize(size_);
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::span<const float> values() const { return {data_.get(), size_}; }
  [[nodiscard]] std::span<float> values() { return {data_.get(), size_}; }

 private:
  static constexpr std::size_t kMost = static_cast<std::size_t>(-1) / (4 * sizeof(float));
  static constexpr std::size_t kFirst = 1u << 18;

  struct Free {
    void operator()(float* data) const { std::free(data); }
  };

  bool resize(std::size_t capacity) {
    void* moved = std::realloc(data_.get(), capacity * sizeof(float));
    if (moved == nullptr) return false;
    static_cast<void>(data_.release());  // realloc has freed or reused it
    data_.reset(static_cast<float*>(moved));
    capacity_ = capacity;
    return true;
  }

  std::unique_ptr<float, Free> data_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace caucus
