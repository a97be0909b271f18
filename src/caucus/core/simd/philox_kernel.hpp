// Philox4x32-10 (random.hpp) for sixteen clients at once.
#pragma once

#include "caucus/core/simd/kernel_table.hpp"
#include "caucus/core/simd/words.hpp"

namespace caucus::simd::CAUCUS_SIMD_VARIANT {
namespace {

inline void philox(const std::uint32_t* counter, const std::uint32_t* key, std::uint32_t* out) {
  Words c0 = words(counter[0]);
  Words c1 = count_from(counter[1]);
  Words c2 = words(counter[2]);
  Words c3 = words(counter[3]);
  std::uint32_t k0 = key[0];
  std::uint32_t k1 = key[1];
  for (int round = 0; round < 10; ++round) {
    const Products p0 = multiply(c0, 0xD2511F53U);
    const Products p1 = multiply(c2, 0xCD9E8D57U);
    c0 = exclusive_or(exclusive_or(p1.high, c1), words(k0));
    c1 = p1.low;
    c2 = exclusive_or(exclusive_or(p0.high, c3), words(k1));
    c3 = p0.low;
    k0 += 0x9E3779B9U;
    k1 += 0xBB67AE85U;
  }
  store(out, c0);
  store(out + kLanes, c1);
  store(out + 2 * kLanes, c2);
  store(out + 3 * kLanes, c3);
}

}  // namespace
}  // namespace caucus::simd::CAUCUS_SIMD_VARIANT
