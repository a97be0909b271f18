// Cosines and sines of many floats.
#pragma once

#include "caucus/core/simd/first_lanes.hpp"
#include "caucus/core/simd/kernel_table.hpp"
#include "caucus/core/simd/vectors.hpp"

namespace caucus::simd::CAUCUS_SIMD_VARIANT {
namespace {

/// The constants for the waves of one amplitude, each in every lane of a register.
class Coefficients {
 public:
  explicit Coefficients(float a) {  // NOLINT(cppcoreguidelines-pro-type-member-init): below
    const float values[kCount] = {12582912.0F,      a,
                                  a * -4.93479538F, a * 4.05845118F,
                                  a * -1.3320936F,  a * 0.220080182F,
                                  a * 3.14158202F,  a * -5.1671428F,
                                  a * 2.54189902F,  a * -0.55463618F};
    for (std::size_t i = 0; i < kCount; ++i) store(rows_[i], fill(values[i]));
  }
  [[nodiscard]] Lanes operator[](std::size_t i) const { return spread(rows_[i]); }

 private:
  static constexpr std::size_t kCount = 10;
  alignas(64) float rows_[kCount][kLanes];
};

/// With n the integer nearest to u and r = u - n, cos(pi u) = (-1)^n cos(pi r) with |r| <= 1/2, and
/// accordingly for the sine. The polynomials are minimax on this interval; that of the cosine is 1
/// at 0.
class Waves {
 public:
  /// amplitude * cos(pi u) and amplitude * sin(pi u).
  struct Pair {
    Lanes cosine, sine;
  };

  explicit Waves(const Coefficients& from)
      : magic_(from[0]),  // 1.5 * 2^23: adding it rounds to the nearest integer
        c0_(from[1]),
        c1_(from[2]),
        c2_(from[3]),
        c3_(from[4]),
        c4_(from[5]),
        s0_(from[6]),
        s1_(from[7]),
        s2_(from[8]),
        s3_(from[9]) {}

  /// Computes both for u = x * factor with |u| < 2^22.
  [[nodiscard]] Pair of(Lanes x, Lanes factor) const {
    const Lanes count = mul_add(x, factor, magic_);
    const Lanes r = mul_add(x, factor, magic_ - count);
    const Lanes s = r * r;
    Lanes c = mul_add(s, c4_, c3_);
    Lanes t = mul_add(s, s3_, s2_);
    c = mul_add(s, c, c2_);
    t = mul_add(s, t, s1_);
    c = mul_add(s, c, c1_);
    t = mul_add(s, t, s0_);
    c = mul_add(s, c, c0_);
    return {turn_if_odd(c, count), turn_if_odd(r * t, count)};
  }

 private:
  Lanes magic_, c0_, c1_, c2_, c3_, c4_, s0_, s1_, s2_, s3_;
};

/// Not inlined, because g++ 12 would otherwise recompute the coefficients for every group.
[[gnu::noinline]] inline void all_waves(const Coefficients& from, const Wave* all,
                                        std::size_t count, std::size_t n) {
  const Waves waves(from);
  for (const Wave* wave = all; wave < all + count; ++wave) {
    const float* const x = wave->x;
    float* const out = wave->out[0];
    const Lanes factor = fill(wave->factor);
    std::size_t k = 0;
    for (; k + kLanes <= n; k += kLanes) {
      const auto pair = waves.of(load(x + k), factor);
      store(out + 2 * k, pair.cosine);
      store(out + 2 * k + kLanes, pair.sine);
    }
    if (k == n) continue;
    const std::size_t rest = n - k;
    const auto pair = waves.of(load_first(x + k, rest), factor);
    store_first(out + 2 * k, rest, pair.cosine);
    store_first(out + 2 * k + rest, rest, pair.sine);
  }
}

/// Computes the waves of 2 u from those of u, possibly in place: cos 2a = 2 cos^2 a - 1 and
/// sin 2a = 2 cos a sin a. This is a separate pass over all waves, because the steps of a chain of
/// doublings wait for each other.
inline void double_angles(const float* from, float* to, float amplitude, std::size_t n) {
  const Lanes two_over_amplitude = fill(2.0F / amplitude);
  const Lanes minus_amplitude = fill(-amplitude);
  const auto doubled = [&](Lanes cosine, Lanes sine) -> Waves::Pair {
    const Lanes double_cosine = cosine * two_over_amplitude;
    return {mul_add(cosine, double_cosine, minus_amplitude), sine * double_cosine};
  };
  std::size_t k = 0;
  for (; k + kLanes <= n; k += kLanes) {
    const auto pair = doubled(load(from + 2 * k), load(from + 2 * k + kLanes));
    store(to + 2 * k, pair.cosine);
    store(to + 2 * k + kLanes, pair.sine);
  }
  if (k == n) return;
  const std::size_t rest = n - k;
  const auto pair = doubled(load_first(from + 2 * k, rest), load_first(from + 2 * k + rest, rest));
  store_first(to + 2 * k, rest, pair.cosine);
  store_first(to + 2 * k + rest, rest, pair.sine);
}

inline void sincos(const Wave* waves, std::size_t count, std::size_t levels, float amplitude,
                   std::size_t n) {
  const Coefficients coefficients(amplitude);
  all_waves(coefficients, waves, count, n);
  for (std::size_t level = 1; level < levels; ++level) {
    for (const Wave* wave = waves; wave < waves + count; ++wave) {
      double_angles(wave->out[level - 1], wave->out[level], amplitude, n);
    }
  }
}

}  // namespace
}  // namespace caucus::simd::CAUCUS_SIMD_VARIANT
