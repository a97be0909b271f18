// Cosines and sines of many floats.
#pragma once

#include "caucus/core/simd/groups.hpp"
#include "caucus/core/simd/kernel_table.hpp"
#include "caucus/core/simd/lanes.hpp"

namespace caucus::simd::CAUCUS_SIMD_VARIANT {
namespace {

/// With n the integer nearest to u and r = u - n, cos(pi u) = (-1)^n cos(pi r), and so the
/// sine; |r| <= 1/2. The polynomials are minimax there, the cosine's with value 1 at 0.
class Waves {
 public:
  /// 2 cos(pi u) and amplitude * sin(pi u), of which the doubled angles take two operations.
  struct Pair {
    Lanes double_cosine, sine;
  };

  explicit Waves(float amplitude)
      : half_amplitude_(0.5F * amplitude),
        s0_(amplitude * 3.1415925F),
        s1_(amplitude * -5.16770506F),
        s2_(amplitude * 2.55000186F),
        s3_(amplitude * -0.597871304F),
        s4_(amplitude * 0.0768838301F) {}

  /// Where u = x * factor, |u| < 2^22; both change sign where `count` is odd.
  [[gnu::always_inline]] Pair of(Lanes x, Lanes factor, Lanes& count) const {
    const Lanes magic = fill(12582912.0F);  // 1.5 * 2^23: adding it rounds to the nearest integer
    count = mul_add(x, factor, magic);
    const Lanes r = mul_add(x, factor, subtract(magic, count));
    const Lanes s = multiply(r, r);
    Lanes c = mul_add(s, fill(2.0F * 0.220080182F), fill(2.0F * -1.3320936F));
    Lanes t = mul_add(s, fill(s4_), fill(s3_));
    c = mul_add(s, c, fill(2.0F * 4.05845118F));
    t = mul_add(s, t, fill(s2_));
    c = mul_add(s, c, fill(2.0F * -4.93479538F));
    t = mul_add(s, t, fill(s1_));
    c = mul_add(s, c, fill(2.0F));
    t = multiply(r, mul_add(s, t, fill(s0_)));
    return {c, t};
  }
  /// Those of 2 u, for which the sign does not matter: 2 cos 2a = (2 cos a)^2 - 2, sin 2a = sin a *
  /// 2 cos a.
  [[gnu::always_inline]] static Pair twice(const Pair& pair) {
    return {mul_add(pair.double_cosine, pair.double_cosine, fill(-2.0F)),
            multiply(pair.double_cosine, pair.sine)};
  }
  [[gnu::always_inline]] Lanes cosine(const Pair& pair) const {
    return multiply(fill(half_amplitude_), pair.double_cosine);
  }

 private:
  float half_amplitude_, s0_, s1_, s2_, s3_, s4_;
};

/// put(level, pair) for the levels from Level on whose bits are set in Wanted, which the compiler
/// knows; those above the highest are not computed.
template <unsigned Wanted, std::size_t Level, class Put>
[[gnu::always_inline]] inline void put_doubles(const Waves& waves, const Waves::Pair& half,
                                               const Put& put) {
  if constexpr (Wanted >> Level != 0U) {
    const Waves::Pair pair = Waves::twice(half);
    if constexpr ((Wanted >> Level & 1U) != 0U) put(Level, waves.cosine(pair), pair.sine);
    put_doubles<Wanted, Level + 1>(waves, pair, put);
  }
}

template <unsigned Wanted, class Put>
[[gnu::always_inline]] inline void put_levels(const Waves& waves, Lanes x, Lanes factor,
                                              const Put& put) {
  Lanes count = fill(0.0F);
  const Waves::Pair pair = waves.of(x, factor, count);
  if constexpr ((Wanted & 1U) != 0U) {
    put(0, turn_if_odd(waves.cosine(pair), count), turn_if_odd(pair.sine, count));
  }
  put_doubles<Wanted, 1>(waves, pair, put);
}

template <unsigned Wanted>
[[gnu::noinline]] void wave(const Waves& waves, const Wave& wanted, std::size_t n) {
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
  if (k == n) return;
  const std::size_t rest = n - k;
  const auto put = [&](std::size_t level, Lanes cosine, Lanes sine) __attribute__((always_inline)) {
    float* const out = wanted.out[level] + 2 * k;
    store_first(out, rest, cosine);
    store_first(out + rest, rest, sine);
  };
  put_levels<Wanted>(waves, load_first(wanted.x + k, rest), factor, put);
}

inline void sincos(const Wave* waves, std::size_t count, float amplitude, std::size_t n) {
  using Function = void (*)(const Waves&, const Wave&, std::size_t);
  static constexpr Function kFor[] = {nullptr,  wave<1>,  wave<2>,  wave<3>, wave<4>,  wave<5>,
                                      wave<6>,  wave<7>,  wave<8>,  wave<9>, wave<10>, wave<11>,
                                      wave<12>, wave<13>, wave<14>, wave<15>};
  const Waves of_amplitude(amplitude);
  for (const Wave* each = waves; each < waves + count; ++each) {
    unsigned wanted = 0;
    repeat<kOctaves>(
        [&](std::size_t level) { wanted |= each->out[level] != nullptr ? 1U << level : 0U; });
    kFor[wanted](of_amplitude, *each, n);
  }
}

/// As bits, so that NaN is the largest; none is negative.
inline float largest_lane(Lanes sizes) {
  float lanes[kLanes];
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
