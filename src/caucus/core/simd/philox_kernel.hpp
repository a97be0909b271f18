// Philox4x32-10 (random.hpp) for sixteen counters at once.
#pragma once

#include "caucus/core/simd/kernel_table.hpp"
#include "caucus/core/simd/words.hpp"

namespace caucus::simd::CAUCUS_SIMD_VARIANT {
namespace {

inline void philox(const PhiloxCounters& counters, std::uint32_t* out) {
  const std::size_t count = counters.count;
  for (std::size_t k = 0; k < count; k += kLanes) {
    Words c0 = words(counters.first);
    Words c1 = load(counters.second + k);
    Words c2 = load(counters.third + k);
    Words c3 = words(counters.fourth);
    Words k0 = words(counters.key[0]);
    Words k1 = words(counters.key[1]);
    for (int round = 0; round < 10; ++round) {
      const Products p0 = multiply(c0, 0xD2511F53U);
      const Products p1 = multiply(c2, 0xCD9E8D57U);
      c0 = exclusive_or(p1.high, exclusive_or(c1, k0));
      c1 = p1.low;
      c2 = exclusive_or(p0.high, exclusive_or(c3, k1));
      c3 = p0.low;
      k0 = add(k0, words(0x9E3779B9U));
      k1 = add(k1, words(0xBB67AE85U));
    }
    store(out + k, c0);
    store(out + count + k, c1);
    store(out + 2 * count + k, c2);
    store(out + 3 * count + k, c3);
  }
}

}  // namespace
}  // namespace caucus::simd::CAUCUS_SIMD_VARIANT
