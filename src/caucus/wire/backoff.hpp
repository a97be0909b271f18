// The time before the next attempt: 50 ms at first, twice as long each time, at most 1 s, and
// shorter by a random part of up to a half, so that clients do not reconnect at the same time.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace caucus::wire {

class Backoff {
 public:
  static constexpr std::chrono::milliseconds kShortest{50};
  static constexpr std::chrono::milliseconds kLongest{1000};

  /// Clients should have different seeds.
  explicit Backoff(std::uint64_t seed) : state_(seed) {}

  std::chrono::milliseconds next() {
    const auto most = longest_;
    longest_ = std::min(2 * longest_, kLongest);
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;  // Knuth's MMIX generator
    const auto half = static_cast<std::uint64_t>(most.count() / 2);
    return most - std::chrono::milliseconds((state_ >> 33U) % (half + 1));
  }
  void reset() { longest_ = kShortest; }

 private:
  std::uint64_t state_;
  std::chrono::milliseconds longest_ = kShortest;
};

}  // namespace caucus::wire
