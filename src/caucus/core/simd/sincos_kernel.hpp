// Cosines and sines of many floats.
#pragma once

#include "caucus/core/simd/eight_floats.hpp"
#include "caucus/core/simd/groups.hpp"
#include "caucus/core/simd/kernel_table.hpp"
#include "caucus/core/simd/lanes.hpp"

namespace caucus::simd::CAUCUS_SIMD_VARIANT {
namespace {

/// The constants for the waves of one amplitude, each in every lane.
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
  template <class Vector>
  [[gnu::always_inline]] Vector get(std::size_t i) const {
    return spread<Vector>(rows_[i]);
  }

 private:
  static constexpr std::size_t kCount = 10;
  alignas(64) float rows_[kCount][kLanes];
};

/// With n the integer nearest to u and r = u - n, cos(pi u) = (-1)^n cos(pi r) with |r| <= 1/2, and
/// accordingly for the sine. The polynomials are minimax on this interval; that of the cosine is 1
/// at 0. Vector is Lanes, or EightFloats at the end.
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

  /// Computes both for u = x * factor with |u| < 2^22.
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

/// Computes the last `rest` < 16 frequencies.
template <class Vector>
[[gnu::always_inline]] inline void end_wave(const Waves<Vector>& waves, float* out,
                                            std::size_t rest, Vector x, Vector factor) {
  const auto pair = waves.of(x, factor);
  store_first(out, rest, pair.cosine);
  store_first(out + rest, rest, pair.sine);
}

/// Computes the products of some waves with models, with the bits of dot(), while the waves are
/// computed. The end of a wave is added later, because it is stored in pieces and loading it at
/// once stalls.
struct Products {
  static constexpr std::size_t kWaves = 16;
  alignas(64) float lanes[kWaves][kLanes];

  /// Adds the groups of all waves of a level from k on, for n frequencies.
  void end(const Wave* waves, std::size_t count, std::size_t level, std::size_t k, std::size_t n) {
    const auto whole = [&](std::size_t i) __attribute__((always_inline)) {
      const float* const model = waves[i].model[level];
      const float* const out = waves[i].out[level];
      Lanes all = load(lanes[i]);
      std::size_t j = 2 * k;
      for (; j + kLanes <= 2 * n; j += kLanes) all = mul_add(load(model + j), load(out + j), all);
      if (j < 2 * n) {
        const std::size_t rest = 2 * n - j;
        all = mul_add(load_first(model + j, rest), load_first(out + j, rest), all);
      }
      return all;
    };
    std::size_t i = 0;
    for (; i + 4 <= count; i += 4) {
      const Lanes four[4] = {whole(i), whole(i + 1), whole(i + 2), whole(i + 3)};
      double sums[4];
      sum_four(four, sums);
      repeat<4>([&](std::size_t j) { *waves[i + j].product[level] = sums[j]; });
    }
    for (; i < count; ++i) *waves[i].product[level] = sum(whole(i));
  }
};

/// The part of the products inside the loop over waves; empty if no products are requested.
template <bool Wanted>
class Product {
 public:
  [[gnu::always_inline]] void begin(const Wave& wave, std::size_t level) {
    if constexpr (Wanted) {
      model_ = wave.model[level];
      lanes_ = fill(0.0F);
    }
  }
  /// Adds a group of cosines and their sines, at index 2k.
  [[gnu::always_inline]] void add(std::size_t k, Lanes cosine, Lanes sine) {
    if constexpr (Wanted) {
      lanes_ = mul_add(load(model_ + 2 * k), cosine, lanes_);
      lanes_ = mul_add(load(model_ + 2 * k + kLanes), sine, lanes_);
    }
  }
  [[gnu::always_inline]] void put(float* into) const {
    if constexpr (Wanted) store(into, lanes_);
  }

 private:
  const float* model_;
  Lanes lanes_;
};

/// Not inlined, because g++ 12 would otherwise recompute the coefficients for every group.
template <bool WithProducts>
[[gnu::noinline]] void all_waves(const Coefficients& from, const Wave* all, std::size_t count,
                                 std::size_t n, Products& products) {
  const Waves<Lanes> waves(from);
  for (std::size_t i = 0; i < count; ++i) {
    const Wave* const wave = all + i;
    const float* const x = wave->x;
    float* const out = wave->out[0];
    const Lanes factor = fill(wave->factor);
    Product<WithProducts> product{};
    product.begin(*wave, 0);
    std::size_t k = 0;
    for (; k + kLanes <= n; k += kLanes) {
      const auto pair = waves.of(load(x + k), factor);
      store(out + 2 * k, pair.cosine);
      store(out + 2 * k + kLanes, pair.sine);
      product.add(k, pair.cosine, pair.sine);
    }
    const std::size_t rest = n - k;
    if (rest > kBlock) {
      end_wave(waves, out + 2 * k, rest, load_first(x + k, rest), factor);
    } else if (rest > 0) {
      end_wave(Waves<EightFloats>(from), out + 2 * k, rest, load_first_eight(x + k, rest),
               eight_floats(wave->factor));
    }
    product.put(products.lanes[i]);
  }
}

/// Computes the waves of 2 u from those of u, possibly in place: cos 2a = 2 cos^2 a - 1 and
/// sin 2a = 2 cos a sin a. This is a separate pass over several waves at once, because the steps of
/// a chain of doublings, or of additions to one product, wait for each other.
template <std::size_t Count, bool WithProducts>
[[gnu::noinline]] void double_angles(const Wave* waves, std::size_t level, float amplitude,
                                     std::size_t n, Products& products, std::size_t place) {
  const Lanes two_over_amplitude = fill(2.0F / amplitude);
  const Lanes minus_amplitude = fill(-amplitude);
  const auto doubled = [&](Lanes cosine, Lanes sine, auto&& put) __attribute__((always_inline)) {
    const Lanes double_cosine = multiply(cosine, two_over_amplitude);
    put(mul_add(cosine, double_cosine, minus_amplitude), multiply(sine, double_cosine));
  };
  const float* from[Count];
  float* to[Count];
  Product<WithProducts> product[Count];
  repeat<Count>([&](std::size_t i) {
    from[i] = waves[i].out[level - 1];
    to[i] = waves[i].out[level];
    product[i].begin(waves[i], level);
  });
  std::size_t k = 0;
  for (; k + kLanes <= n; k += kLanes) {
    repeat<Count>([&](std::size_t i) {
      const auto put = [&](Lanes cosine, Lanes sine) __attribute__((always_inline)) {
        store(to[i] + 2 * k, cosine);
        store(to[i] + 2 * k + kLanes, sine);
        product[i].add(k, cosine, sine);
      };
      doubled(load(from[i] + 2 * k), load(from[i] + 2 * k + kLanes), put);
    });
  }
  if (k < n) {
    const std::size_t rest = n - k;
    repeat<Count>([&](std::size_t i) {
      const auto put = [&](Lanes cosine, Lanes sine) __attribute__((always_inline)) {
        store_first(to[i] + 2 * k, rest, cosine);
        store_first(to[i] + 2 * k + rest, rest, sine);
      };
      doubled(load_first(from[i] + 2 * k, rest), load_first(from[i] + 2 * k + rest, rest), put);
    });
  }
  repeat<Count>([&](std::size_t i) { product[i].put(products.lanes[place + i]); });
}

template <bool WithProducts>
inline void sincos(const Wave* waves, std::size_t count, std::size_t levels, float amplitude,
                   std::size_t n) {
  const Coefficients coefficients(amplitude);
  const std::size_t whole = n / kLanes * kLanes;
  Products products;  // NOLINT(cppcoreguidelines-pro-type-member-init): written before it is read
  for (std::size_t some = 0; count > 0; waves += some, count -= some) {
    some = count < Products::kWaves ? count : Products::kWaves;
    all_waves<WithProducts>(coefficients, waves, some, n, products);
    if constexpr (WithProducts) products.end(waves, some, 0, whole, n);
    for (std::size_t level = 1; level < levels; ++level) {
      std::size_t i = 0;
      for (; i + 2 <= some; i += 2) {
        double_angles<2, WithProducts>(waves + i, level, amplitude, n, products, i);
      }
      if (i < some) double_angles<1, WithProducts>(waves + i, level, amplitude, n, products, i);
      if constexpr (WithProducts) products.end(waves, some, level, whole, n);
    }
  }
}

/// Compares as bits, so that NaN is the largest; no lane is negative.
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

/// Returns the largest |x_k|, or NaN if there is one.
inline float magnitude(const float* x, std::size_t n) {
  Lanes largest = fill(0.0F);
  std::size_t k = 0;
  for (; k + kLanes <= n; k += kLanes) largest = larger_size(largest, load(x + k));
  if (k < n) largest = larger_size(largest, load_first(x + k, n - k));
  return largest_lane(largest);
}

}  // namespace
}  // namespace caucus::simd::CAUCUS_SIMD_VARIANT
