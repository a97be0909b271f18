// Cosines and sines of many floats.
#pragma once

#include "caucus/core/simd/eight_floats.hpp"
#include "caucus/core/simd/groups.hpp"
#include "caucus/core/simd/kernel_table.hpp"
#include "caucus/core/simd/lanes.hpp"

namespace caucus::simd::CAUCUS_SIMD_VARIANT {
namespace {

/// The numbers that the waves of one amplitude need, each in every lane.
class Coefficients {
 public:
  explicit Coefficients(float a) {
    const float values[kCount] = {12582912.0F,      a,
                                  a * -4.93479538F, a * 4.05845118F,
                                  a * -1.3320936F,  a * 0.220080182F,
                                  a * 3.14158202F,  a * -5.1671428F,
                                  a * 2.54189902F,  a * -0.55463618F};
    for (std::size_t i = 0; i < kCount; ++i) store(rows_[i], fill(values[i]));
  }
  template <class Vector>
  [[gnu::always_inline]] Vector get(std::size_t i) const {
    return spread<Vector>(rows_[i]);
  }

 private:
  static constexpr std::size_t kCount = 10;
  alignas(64) float rows_[kCount][kLanes];
};

/// With n the integer nearest to u and r = u - n, cos(pi u) = (-1)^n cos(pi r), and so the
/// sine; |r| <= 1/2. The polynomials are minimax there, the cosine's with value 1 at 0. A Vector is
/// Lanes or, at the end, EightFloats.
template <class Vector>
class Waves {
 public:
  /// amplitude * cos(pi u) and amplitude * sin(pi u).
  struct Pair {
    Vector cosine, sine;
  };

  [[gnu::always_inline]] explicit Waves(const Coefficients& from)
      : magic_(from.get<Vector>(0)),  // 1.5 * 2^23: adding it rounds to the nearest integer
        c0_(from.get<Vector>(1)),
        c1_(from.get<Vector>(2)),
        c2_(from.get<Vector>(3)),
        c3_(from.get<Vector>(4)),
        c4_(from.get<Vector>(5)),
        s0_(from.get<Vector>(6)),
        s1_(from.get<Vector>(7)),
        s2_(from.get<Vector>(8)),
        s3_(from.get<Vector>(9)) {}

  /// Where u = x * factor, |u| < 2^22.
  [[gnu::always_inline]] Pair of(Vector x, Vector factor) const {
    const Vector count = mul_add(x, factor, magic_);
    const Vector r = mul_add(x, factor, subtract(magic_, count));
    const Vector s = multiply(r, r);
    Vector c = mul_add(s, c4_, c3_);
    Vector t = mul_add(s, s3_, s2_);
    c = mul_add(s, c, c2_);
    t = mul_add(s, t, s1_);
    c = mul_add(s, c, c1_);
    t = mul_add(s, t, s0_);
    c = mul_add(s, c, c0_);
    return {turn_if_odd(c, count), turn_if_odd(multiply(r, t), count)};
  }

 private:
  Vector magic_, c0_, c1_, c2_, c3_, c4_, s0_, s1_, s2_, s3_;
};

/// The last `rest` < 16 frequencies.
template <class Vector>
[[gnu::always_inline]] inline void end_wave(const Waves<Vector>& waves, float* out,
                                            std::size_t rest, Vector x, Vector factor) {
  const auto pair = waves.of(x, factor);
  store_first(out, rest, pair.cosine);
  store_first(out + rest, rest, pair.sine);
}

/// Not inlined: where g++ 12 sees how the coefficients are made it makes them anew for every group.
[[gnu::noinline]] void all_waves(const Coefficients& from, const Wave* all, std::size_t count,
                                 std::size_t n) {
  const Waves<Lanes> waves(from);
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
    const std::size_t rest = n - k;
    if (rest > kBlock) {
      end_wave(waves, out + 2 * k, rest, load_first(x + k, rest), factor);
    } else if (rest > 0) {
      end_wave(Waves<EightFloats>(from), out + 2 * k, rest, load_first_eight(x + k, rest),
               eight_floats(wave->factor));
    }
  }
}

/// From the waves of u to those of 2 u, which may take their place: cos 2a = 2 cos^2 a - 1, sin 2a =
/// 2 cos a sin a. In a pass of its own: a chain of doublings for one group after the other leaves
/// the CPU waiting.
[[gnu::noinline]] void double_angles(const float* from, float* to, float amplitude,
                                     std::size_t n) {
  const Lanes two_over_amplitude = fill(2.0F / amplitude);
  const Lanes minus_amplitude = fill(-amplitude);
  const auto doubled = [&](Lanes cosine, Lanes sine, auto&& put) __attribute__((always_inline)) {
    const Lanes double_cosine = multiply(cosine, two_over_amplitude);
    put(mul_add(cosine, double_cosine, minus_amplitude), multiply(sine, double_cosine));
  };
  std::size_t k = 0;
  for (; k + kLanes <= n; k += kLanes) {
    doubled(load(from + 2 * k), load(from + 2 * k + kLanes), [&](Lanes cosine, Lanes sine) {
      store(to + 2 * k, cosine);
      store(to + 2 * k + kLanes, sine);
    });
  }
  if (k == n) return;
  const std::size_t rest = n - k;
  doubled(load_first(from + 2 * k, rest), load_first(from + 2 * k + rest, rest),
          [&](Lanes cosine, Lanes sine) {
            store_first(to + 2 * k, rest, cosine);
            store_first(to + 2 * k + rest, rest, sine);
          });
}

inline void sincos(const Wave* waves, std::size_t count, std::size_t levels, float amplitude,
                   std::size_t n) {
  all_waves(Coefficients(amplitude), waves, count, n);
  if (levels == 1) return;
  for (const Wave* wave = waves; wave < waves + count; ++wave) {
    for (std::size_t level = 1; level < levels; ++level) {
      double_angles(wave->out[level - 1], wave->out[level], amplitude, n);
    }
  }
}

/// As bits, so that NaN is the largest; none is negative.
template <class Vector>
inline float largest_lane(Vector sizes) {
  float lanes[sizeof(Vector) / sizeof(float)];
  store(lanes, sizes);
  std::uint32_t most = 0;
  for (const float lane : lanes) {
    const auto bits = __builtin_bit_cast(std::uint32_t, lane);
    most = bits > most ? bits : most;
  }
  return __builtin_bit_cast(float, most);
}

/// The largest |x_k|; NaN if there is one.
inline float magnitude(const float* x, std::size_t n) {
  Lanes largest = fill(0.0F);
  std::size_t k = 0;
  for (; k + kLanes <= n; k += kLanes) largest = larger_size(largest, load(x + k));
  if (k < n) largest = larger_size(largest, load_first(x + k, n - k));
  return largest_lane(largest);
}

}  // namespace
}  // namespace caucus::simd::CAUCUS_SIMD_VARIANT
