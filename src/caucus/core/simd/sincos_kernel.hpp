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
                                  a * 2.54189902F,  a * -0.55463618F,
                                  2.0F / a,         -a};
    for (std::size_t i = 0; i < kCount; ++i) store(rows_[i], fill(values[i]));
  }
  template <class Vector>
  [[gnu::always_inline]] Vector get(std::size_t i) const {
    return spread<Vector>(rows_[i]);
  }

 private:
  static constexpr std::size_t kCount = 12;
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
        s3_(from.get<Vector>(9)),
        two_over_amplitude_(from.get<Vector>(10)),
        minus_amplitude_(from.get<Vector>(11)) {}

  /// Where u = x * factor, |u| < 2^22; both change sign where `count` is odd.
  [[gnu::always_inline]] Pair of(Vector x, Vector factor, Vector& count) const {
    count = mul_add(x, factor, magic_);
    const Vector r = mul_add(x, factor, subtract(magic_, count));
    const Vector s = multiply(r, r);
    Vector c = mul_add(s, c4_, c3_);
    Vector t = mul_add(s, s3_, s2_);
    c = mul_add(s, c, c2_);
    t = mul_add(s, t, s1_);
    c = mul_add(s, c, c1_);
    t = mul_add(s, t, s0_);
    c = mul_add(s, c, c0_);
    return {c, multiply(r, t)};
  }
  /// Those of 2 u, for which the sign does not matter: cos 2a = 2 cos^2 a - 1, sin 2a = 2 cos a
  /// sin a.
  [[gnu::always_inline]] Pair twice(const Pair& pair) const {
    const Vector double_cosine = multiply(pair.cosine, two_over_amplitude_);
    return {mul_add(pair.cosine, double_cosine, minus_amplitude_),
            multiply(pair.sine, double_cosine)};
  }

 private:
  Vector magic_, c0_, c1_, c2_, c3_, c4_, s0_, s1_, s2_, s3_, two_over_amplitude_, minus_amplitude_;
};

/// put(level, pair) for the levels from Level on whose bits are set in Wanted, which the compiler
/// knows; those above the highest are not computed.
template <unsigned Wanted, std::size_t Level, class Vector, class Put>
[[gnu::always_inline]] inline void put_doubles(const Waves<Vector>& waves,
                                               const typename Waves<Vector>::Pair& half,
                                               const Put& put) {
  if constexpr (Wanted >> Level != 0U) {
    const auto pair = waves.twice(half);
    if constexpr ((Wanted >> Level & 1U) != 0U) put(Level, pair.cosine, pair.sine);
    put_doubles<Wanted, Level + 1>(waves, pair, put);
  }
}

template <unsigned Wanted, class Vector, class Put>
[[gnu::always_inline]] inline void put_levels(const Waves<Vector>& waves, Vector x, Vector factor,
                                              const Put& put) {
  Vector count = x;
  const auto pair = waves.of(x, factor, count);
  if constexpr ((Wanted & 1U) != 0U) {
    put(0, turn_if_odd(pair.cosine, count), turn_if_odd(pair.sine, count));
  }
  put_doubles<Wanted, 1>(waves, pair, put);
}

/// The last `rest` < 16 frequencies.
template <unsigned Wanted, class Vector>
[[gnu::always_inline]] inline void end_wave(const Waves<Vector>& waves, const Wave& wanted,
                                            std::size_t k, std::size_t rest, Vector x,
                                            Vector factor) {
  const auto put = [&](std::size_t level, Vector cosine, Vector sine)
      __attribute__((always_inline)) {
    float* const out = wanted.out[level] + 2 * k;
    store_first(out, rest, cosine);
    store_first(out + rest, rest, sine);
  };
  put_levels<Wanted>(waves, x, factor, put);
}

/// The waves whose bits are set; of all of them the levels `Wanted` are wanted.
template <unsigned Wanted>
[[gnu::noinline]] void waves_of_kind(const Coefficients& from, const Wave* all, std::uint64_t bits,
                                     std::size_t n) {
  const Waves<Lanes> waves(from);
  for (; bits != 0; bits &= bits - 1) {
    const Wave& wanted = all[__builtin_ctzll(bits)];
    const Lanes factor = fill(wanted.factor);
    std::size_t k = 0;
    for (; k + kLanes <= n; k += kLanes) {
      const auto put = [&](std::size_t level, Lanes cosine, Lanes sine)
          __attribute__((always_inline)) {
        float* const out = wanted.out[level] + 2 * k;
        store(out, cosine);
        store(out + kLanes, sine);
      };
      put_levels<Wanted>(waves, load(wanted.x + k), factor, put);
    }
    const std::size_t rest = n - k;
    if (rest > kBlock) {
      end_wave<Wanted>(waves, wanted, k, rest, load_first(wanted.x + k, rest), factor);
    } else if (rest > 0) {
      end_wave<Wanted>(Waves<EightFloats>(from), wanted, k, rest,
                       load_first_eight(wanted.x + k, rest), eight_floats(wanted.factor));
    }
  }
}

template <unsigned Wanted>
[[gnu::always_inline]] inline void each_kind(const Coefficients& from, const Wave* all,
                                             const std::uint64_t* wanted, std::size_t n) {
  std::uint64_t bits = ~std::uint64_t{0};
  repeat<kOctaves>([&](std::size_t level) {
    bits &= (Wanted >> level & 1U) != 0U ? wanted[level] : ~wanted[level];
  });
  if (bits != 0) waves_of_kind<Wanted>(from, all, bits, n);
  if constexpr (Wanted > 1) each_kind<Wanted - 1>(from, all, wanted, n);
}

/// By what is wanted: a jump to another place for every wave would be mispredicted.
inline void sincos(const Wave* waves, std::size_t count, float amplitude, std::size_t n) {
  constexpr std::size_t kTogether = 64;
  const Coefficients of_amplitude(amplitude);
  for (; count > 0; waves += kTogether) {
    const std::size_t some = count < kTogether ? count : kTogether;
    count -= some;
    std::uint64_t wanted[kOctaves] = {};  // of each level, those whose bits are set
    for (std::size_t w = 0; w < some; ++w) {
      repeat<kOctaves>([&](std::size_t level) {
        wanted[level] |= std::uint64_t{waves[w].out[level] != nullptr} << w;
      });
    }
    each_kind<(1U << kOctaves) - 1U>(of_amplitude, waves, wanted, n);
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
