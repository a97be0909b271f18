// What sixteen clients draw from the same few models (sampling.hpp).
#pragma once

#include "caucus/core/simd/doubles.hpp"
#include "caucus/core/simd/kernel_table.hpp"
#include "caucus/core/simd/words.hpp"

namespace caucus::simd::CAUCUS_SIMD_VARIANT {
namespace {

/// The words are the first blocks of sixteen streams, as philox() lays them out.
inline void draw(const double* sums, std::size_t models, const std::uint32_t* words, Draws* out) {
  const Words upper = load(words);
  const Words lower = shifted_right(load(words + kLanes), 11);
  const double total = sums[models - 1];
  const auto find = [&](Eight high_bits, Eight low_bits, double* first) {
    const Eight u =
        mul_add(high_bits, eight(0x1p-32), multiply(low_bits, eight(0x1p-53)));  // exact
    const Eight point = multiply(u, eight(total));
    Eight counts = eight(0.0);
    for (std::size_t i = 0; i < models; ++i) counts = count_up(counts, eight(sums[i]), point);
    store(first, counts);
  };
  find(first_doubles(upper), first_doubles(lower), out->first);
  find(last_doubles(upper), last_doubles(lower), out->first + kBlock);
  const Products picks = multiply(load(words + 2 * kLanes), static_cast<std::uint32_t>(models - 1));
  store(out->pick, picks.high);
  store(out->pick_rest, picks.low);
}

}  // namespace
}  // namespace caucus::simd::CAUCUS_SIMD_VARIANT
