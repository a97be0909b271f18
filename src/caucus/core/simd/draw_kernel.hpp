// What sixteen clients draw from the same few models (sampling.hpp).
#pragma once

#include "caucus/core/simd/doubles.hpp"
#include "caucus/core/simd/kernel_table.hpp"
#include "caucus/core/simd/words.hpp"

namespace caucus::simd::CAUCUS_SIMD_VARIANT {
namespace {

/// The words are the first blocks of sixteen streams, as philox() lays them out. Each stream's first
/// draw passes some of the running sums, and as many as it passes is the model it draws; its second
/// draw is word * (models - 1), of which the upper 32 bits are another model unless the lower ones
/// are among the few that have to be drawn again.
inline bool draw(const double* sums, std::size_t models, const std::uint32_t* words,
                 std::uint32_t* pairs) {
  const Words upper = load(words);
  const Words lower = shifted_right(load(words + kLanes), 11);
  const double total = sums[models - 1];
  double first[kLanes];
  const auto find = [&](Eight high_bits, Eight low_bits, double* out) {
    const Eight u =
        mul_add(high_bits, eight(0x1p-32), multiply(low_bits, eight(0x1p-53)));  // exact
    const Eight point = multiply(u, eight(total));
    Eight counts = eight(0.0);
    for (std::size_t i = 0; i < models; ++i) counts = count_up(counts, eight(sums[i]), point);
    store(out, counts);
  };
  find(first_doubles(upper), first_doubles(lower), first);
  find(last_doubles(upper), last_doubles(lower), first + kBlock);
  const Products picks = multiply(load(words + 2 * kLanes), static_cast<std::uint32_t>(models - 1));
  std::uint32_t pick[kLanes];
  std::uint32_t pick_rest[kLanes];
  store(pick, picks.high);
  store(pick_rest, picks.low);
  const auto last = static_cast<std::uint32_t>(models - 1);
  std::uint32_t doubtful = 0;
  for (std::size_t l = 0; l < kLanes; ++l) {
    const auto chosen = static_cast<std::uint32_t>(static_cast<std::int32_t>(first[l]));
    pairs[2 * l] = chosen;
    pairs[2 * l + 1] = pick[l] == chosen ? last : pick[l];
    // Beyond all sums by rounding, or a pick that may have to be drawn again: seldom.
    doubtful |= static_cast<std::uint32_t>(chosen > last) |
                static_cast<std::uint32_t>(pick_rest[l] < last);
  }
  return doubtful == 0;
}

}  // namespace
}  // namespace caucus::simd::CAUCUS_SIMD_VARIANT
