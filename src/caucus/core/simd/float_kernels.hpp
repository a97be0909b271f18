// The kernels of vector.hpp that read vectors of floats once.
#pragma once

#include "caucus/core/simd/first_lanes.hpp"
#include "caucus/core/simd/kernel_table.hpp"
#include "caucus/core/simd/vectors.hpp"

namespace caucus::simd::CAUCUS_SIMD_VARIANT {
namespace {

/// Calls visit(load_from, store_to) for every sixteen of n numbers, and for the rest: load_from(p)
/// and store_to(p, lanes) access these numbers of the vector that begins at p.
template <class Visit>
[[gnu::always_inline]] inline void groups(std::size_t n, Visit visit) {
  std::size_t k = 0;
  for (; k + kLanes <= n; k += kLanes) {
    visit([&](const float* p) { return load(p + k); }, [&](float* p, Lanes a) { store(p + k, a); });
  }
  if (k == n) return;
  const std::size_t rest = n - k;
  visit([&](const float* p) { return load_first(p + k, rest); },
        [&](float* p, Lanes a) { store_first(p + k, rest, a); });
}

/// Computes a few dot products of short vectors in order; see kShort.
template <std::size_t Count>
inline void some_short_dots(const float* const* a, const float* const* b, std::size_t n,
                            double* out) {
  float sums[Count] = {};
  for (std::size_t k = 0; k < n; ++k) {
    repeat<Count>([&](std::size_t j) { sums[j] = fused(a[j][k], b[j][k], sums[j]); });
  }
  repeat<Count>([&](std::size_t j) { out[j] = static_cast<double>(sums[j]); });
}

template <std::size_t Count>
[[gnu::noinline]] void some_long_dots(const float* const* a, const float* const* b, std::size_t n,
                                      double* out) {
  Lanes lanes[Count];
  const float* x[Count];
  const float* y[Count];
  repeat<Count>([&](std::size_t j) {
    lanes[j] = fill(0.0F);
    x[j] = a[j];
    y[j] = b[j];
  });
  groups(n, [&](auto load_from, auto) {
    repeat<Count>(
        [&](std::size_t j) { lanes[j] = mul_add(load_from(x[j]), load_from(y[j]), lanes[j]); });
  });
  repeat<Count>([&](std::size_t j) { out[j] = sum(lanes[j]); });
}

/// Computes four at once, since the additions of one depend on each other.
inline void dots(const float* const* a, const float* const* b, std::size_t n, std::size_t count,
                 double* out) {
  const bool is_short = n <= kShort;
  std::size_t j = 0;
  for (; j + 4 <= count; j += 4) {
    is_short ? some_short_dots<4>(a + j, b + j, n, out + j)
             : some_long_dots<4>(a + j, b + j, n, out + j);
  }
  for (; j < count; ++j) {
    is_short ? some_short_dots<1>(a + j, b + j, n, out + j)
             : some_long_dots<1>(a + j, b + j, n, out + j);
  }
}

inline double dot(const float* a, const float* b, std::size_t n) {
  double out = 0.0;
  n <= kShort ? some_short_dots<1>(&a, &b, n, &out) : some_long_dots<1>(&a, &b, n, &out);
  return out;
}

inline void add_scaled(float* y, float factor, const float* x, std::size_t n) {
  const Lanes f = fill(factor);
  groups(n, [&](auto load_from, auto store_to) {
    store_to(y, mul_add(f, load_from(x), load_from(y)));
  });
}

inline void scale(float* y, float factor, std::size_t n) {
  const Lanes f = fill(factor);
  groups(n, [&](auto load_from, auto store_to) { store_to(y, f * load_from(y)); });
}

/// Adds a fixed number of terms, because short inner loops cost more in mispredicted branches than
/// in work.
template <std::size_t Count>
[[gnu::noinline]] void add_some_products(float* y, const Term* terms, std::size_t n) {
  Lanes factors[Count];
  const float* x[Count];
  repeat<Count>([&](std::size_t j) {
    factors[j] = fill(terms[j].factor);
    x[j] = terms[j].x;
  });
  groups(n, [&](auto load_from, auto store_to) {
    Lanes sum = load_from(y);
    repeat<Count>([&](std::size_t j) { sum = sum + factors[j] * load_from(x[j]); });
    store_to(y, sum);
  });
}

/// Adds four terms at a time, so that y is read and written less often.
inline void add_products(float* y, const Term* terms, std::size_t count, std::size_t n) {
  for (; count >= 4; terms += 4, count -= 4) add_some_products<4>(y, terms, n);
  if (count == 3) add_some_products<3>(y, terms, n);
  if (count == 2) add_some_products<2>(y, terms, n);
  if (count == 1) add_some_products<1>(y, terms, n);
}

inline double add_and_measure(float* y, const Term& term, std::size_t n) {
  const Lanes factor = fill(term.factor);
  Lanes squares = fill(0.0F);
  groups(n, [&](auto load_from, auto store_to) {
    const Lanes product = factor * load_from(term.x);
    store_to(y, load_from(y) + product);
    squares = mul_add(product, product, squares);
  });
  if (n > kShort) return sum(squares);
  float in_order = 0.0F;
  for (std::size_t k = 0; k < n; ++k) {
    const float product = term.factor * term.x[k];
    in_order = fused(product, product, in_order);
  }
  return static_cast<double>(in_order);
}

/// Compares as bits, so that NaN is the largest; no lane is negative.
template <class V>
inline float largest_lane(V sizes) {
  float lanes[V::kSize];
  store(lanes, sizes);
  std::uint32_t most = 0;
  for (const float lane : lanes) {
    const auto bits = __builtin_bit_cast(std::uint32_t, lane);
    most = bits > most ? bits : most;
  }
  return __builtin_bit_cast(float, most);
}

inline float magnitude(const float* x, std::size_t n) {
  Lanes largest = fill(0.0F);
  groups(n, [&](auto load_from, auto) { largest = larger_size(largest, load_from(x)); });
  return largest_lane(largest);
}

}  // namespace
}  // namespace caucus::simd::CAUCUS_SIMD_VARIANT
