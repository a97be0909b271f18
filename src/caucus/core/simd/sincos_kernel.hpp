// Cosines and sines of many floats.
#pragma once

#include "caucus/core/simd/kernel_table.hpp"
#include "caucus/core/simd/lanes.hpp"

namespace caucus::simd::CAUCUS_SIMD_VARIANT {
namespace {

/// With n the integer nearest to u and r = u - n, cos(pi u) = (-1)^n cos(pi r), and so the
/// sine; |r| <= 1/2. The polynomials are minimax there, the cosine's with value 1 at 0.
class Waves {
 public:
  struct Pair {
    Lanes cosine, sine;
  };

  explicit Waves(float amplitude)
      : c0_(fill(amplitude)),
        c1_(fill(amplitude * -4.93479538F)),
        c2_(fill(amplitude * 4.05845118F)),
        c3_(fill(amplitude * -1.3320936F)),
        c4_(fill(amplitude * 0.220080182F)),
        s0_(fill(amplitude * 3.1415925F)),
        s1_(fill(amplitude * -5.16770506F)),
        s2_(fill(amplitude * 2.55000186F)),
        s3_(fill(amplitude * -0.597871304F)),
        s4_(fill(amplitude * 0.0768838301F)) {}

  /// amplitude * cos(pi u) and sin(pi u), where u = x * factor, |u| < 2^22
  [[gnu::always_inline]] Pair of(Lanes x, Lanes factor) const {
    const Lanes magic = fill(12582912.0F);  // 1.5 * 2^23: adding it rounds to the nearest integer
    const Lanes count = mul_add(x, factor, magic);
    const Lanes r = mul_add(x, factor, subtract(magic, count));
    const Lanes s = multiply(r, r);
    Lanes c = mul_add(s, c4_, c3_);
    c = mul_add(s, c, c2_);
    c = mul_add(s, c, c1_);
    c = mul_add(s, c, c0_);
    Lanes t = mul_add(s, s4_, s3_);
    t = mul_add(s, t, s2_);
    t = mul_add(s, t, s1_);
    t = multiply(r, mul_add(s, t, s0_));
    return {turn_if_odd(c, count), turn_if_odd(t, count)};
  }

 private:
  Lanes c0_, c1_, c2_, c3_, c4_, s0_, s1_, s2_, s3_, s4_;
};

inline void sincos(const Wave* waves, std::size_t count, float amplitude, std::size_t n) {
  const Waves of_amplitude(amplitude);
  for (const Wave* wave = waves; wave < waves + count; ++wave) {
    const Lanes f = fill(wave->factor);
    std::size_t k = 0;
    for (; k + kLanes <= n; k += kLanes) {
      const Waves::Pair pair = of_amplitude.of(load(wave->x + k), f);
      store(wave->cosine + k, pair.cosine);
      store(wave->sine + k, pair.sine);
    }
    if (k == n) continue;
    const Waves::Pair pair = of_amplitude.of(load_first(wave->x + k, n - k), f);
    store_first(wave->cosine + k, n - k, pair.cosine);
    store_first(wave->sine + k, n - k, pair.sine);
  }
}

/// The largest |x_k|; NaN if there is one.
inline float magnitude(const float* x, std::size_t n) {
  Lanes largest = fill(0.0F);
  std::size_t k = 0;
  for (; k + kLanes <= n; k += kLanes) largest = larger_size(largest, load(x + k));
  if (k < n) largest = larger_size(largest, load_first(x + k, n - k));
  float lanes[kLanes];
  store(lanes, largest);
  std::uint32_t most = 0;
  for (const float lane : lanes) {
    const auto bits = __builtin_bit_cast(std::uint32_t, lane);
    most = bits > most ? bits : most;
  }
  return __builtin_bit_cast(float, most);
}

}  // namespace
}  // namespace caucus::simd::CAUCUS_SIMD_VARIANT
