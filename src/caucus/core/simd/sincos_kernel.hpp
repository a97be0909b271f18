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
    Lanes count;  ///< both change sign where it is odd
  };

  explicit Waves(float amplitude)
      : minus_amplitude_(fill(-amplitude)),
        double_inverse_(fill(2.0F / amplitude)),
        c0_(fill(amplitude)),
        c1_(fill(amplitude * -4.93479538F)),
        c2_(fill(amplitude * 4.05845118F)),
        c3_(fill(amplitude * -1.3320936F)),
        c4_(fill(amplitude * 0.220080182F)),
        s0_(fill(amplitude * 3.1415925F)),
        s1_(fill(amplitude * -5.16770506F)),
        s2_(fill(amplitude * 2.55000186F)),
        s3_(fill(amplitude * -0.597871304F)),
        s4_(fill(amplitude * 0.0768838301F)) {}

  /// amplitude * cos(pi u) and sin(pi u), but for their sign, where u = x * factor, |u| < 2^22
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
    return {c, t, count};
  }
  /// Those of 2 u, for which the sign does not matter: cos 2a = 2 cos^2 a - 1, sin 2a = 2 sin a
  /// cos a.
  [[gnu::always_inline]] Pair twice(const Pair& pair) const {
    const Lanes c = multiply(double_inverse_, pair.cosine);
    return {mul_add(c, pair.cosine, minus_amplitude_), multiply(c, pair.sine), pair.count};
  }

 private:
  Lanes minus_amplitude_, double_inverse_;
  Lanes c0_, c1_, c2_, c3_, c4_, s0_, s1_, s2_, s3_, s4_;
};

/// One of the two or both, which the compiler knows.
template <bool Once, bool Twice>
[[gnu::always_inline]] inline void wave(const Waves& waves, const Wave& wanted, std::size_t n) {
  const Lanes factor = fill(wanted.factor);
  const auto put = [&](Lanes x, auto store_at) {
    const Waves::Pair pair = waves.of(x, factor);
    if constexpr (Once) {
      store_at(wanted.once, turn_if_odd(pair.cosine, pair.count),
               turn_if_odd(pair.sine, pair.count));
    }
    if constexpr (Twice) {
      const Waves::Pair doubled = waves.twice(pair);
      store_at(wanted.twice, doubled.cosine, doubled.sine);
    }
  };
  std::size_t k = 0;
  for (; k + kLanes <= n; k += kLanes) {
    put(load(wanted.x + k), [&](float* out, Lanes cosine, Lanes sine) {
      store(out + 2 * k, cosine);
      store(out + 2 * k + kLanes, sine);
    });
  }
  if (k == n) return;
  const std::size_t rest = n - k;
  put(load_first(wanted.x + k, rest), [&](float* out, Lanes cosine, Lanes sine) {
    store_first(out + 2 * k, rest, cosine);
    store_first(out + 2 * k + rest, rest, sine);
  });
}

inline void sincos(const Wave* waves, std::size_t count, float amplitude, std::size_t n) {
  const Waves of_amplitude(amplitude);
  for (const Wave* each = waves; each < waves + count; ++each) {
    if (each->twice == nullptr) {
      wave<true, false>(of_amplitude, *each, n);
    } else if (each->once == nullptr) {
      wave<false, true>(of_amplitude, *each, n);
    } else {
      wave<true, true>(of_amplitude, *each, n);
    }
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
