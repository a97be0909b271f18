// The vector operations of second_order.cpp, each in one pass. The lengths of all vectors are
// multiples of 8. Dot products are summed in 16 lanes, like those of floats.
#pragma once

#include "caucus/core/simd/kernel_table.hpp"
#include "caucus/core/simd/vectors.hpp"

namespace caucus::simd::CAUCUS_SIMD_VARIANT {
namespace {

/// out[i] is the sum over k of a product; products(k, i, sum) adds the i-th product for the eight
/// numbers from k on.
template <std::size_t Count, class Products>
inline void sum_products(std::size_t n, Products products, double* out) {
  Eight even[Count];
  Eight odd[Count];
  repeat<Count>([&](std::size_t i) { even[i] = odd[i] = eight(0.0); });
  std::size_t k = 0;
  for (; k + 2 * kBlock <= n; k += 2 * kBlock) {
    repeat<Count>([&](std::size_t i) {
      even[i] = products(k, i, even[i]);
      odd[i] = products(k + kBlock, i, odd[i]);
    });
  }
  if (k < n) repeat<Count>([&](std::size_t i) { even[i] = products(k, i, even[i]); });
  repeat<Count>([&](std::size_t i) { out[i] = sum(even[i]) + sum(odd[i]); });
}

inline double dot_doubles(const double* a, const double* b, std::size_t n) {
  double out = 0.0;
  sum_products<1>(
      n,
      [&](std::size_t k, std::size_t, Eight lanes) {
        return mul_add(load(a + k), load(b + k), lanes);
      },
      &out);
  return out;
}

inline void dots_with_floats(const float* g, const double* const* x, std::size_t n, double* out) {
  sum_products<2>(
      n,
      [&](std::size_t k, std::size_t i, Eight lanes) {
        return mul_add(widened(g + k), load(x[i] + k), lanes);
      },
      out);
}

inline void add_floats(const float* g, const double* factors, double square, std::size_t n,
                       double* const* y) {
  const Eight first = eight(factors[0]);
  const Eight second = eight(factors[1]);
  const Eight third = eight(factors[2]);
  const Eight weight = eight(square);
  for (std::size_t k = 0; k < n; k += kBlock) {
    const Eight v = widened(g + k);
    store(y[0] + k, mul_add(first, v, load(y[0] + k)));
    store(y[1] + k, mul_add(second, v, load(y[1] + k)));
    store(y[2] + k, mul_add(third, v, load(y[2] + k)));
    store(y[3] + k, mul_add(weight * v, v, load(y[3] + k)));
  }
}

inline void add_outer_products(const float* vectors, const double* factors, std::size_t count,
                               std::size_t n, const double* x, double* y) {
  for (std::size_t j = 0; j < count; ++j) {
    const float* v = vectors + j * n;
    double along = 0.0;
    sum_products<1>(
        n,
        [&](std::size_t k, std::size_t, Eight lanes) {
          return mul_add(widened(v + k), load(x + k), lanes);
        },
        &along);
    const Eight factor = eight(factors[j] * along);
    for (std::size_t k = 0; k < n; k += kBlock) {
      store(y + k, mul_add(factor, widened(v + k), load(y + k)));
    }
  }
}

inline void scale_by(const double* x, const double* factors, std::size_t n, double* out) {
  for (std::size_t k = 0; k < n; k += kBlock) {
    store(out + k, load(x + k) * load(factors + k));
  }
}

// Three and then two, because there are no registers for five.
inline void step_products(const Iterate& at, const double* other, const double* image,
                          std::size_t n, double* out) {
  const double* const left[5] = {at.residual, at.residual, other, other, at.direction};
  const double* const right[5] = {other, at.direction, image, at.image, at.image};
  sum_products<3>(
      n,
      [&](std::size_t k, std::size_t i, Eight lanes) {
        return mul_add(load(left[i] + k), load(right[i] + k), lanes);
      },
      out);
  sum_products<2>(
      n,
      [&](std::size_t k, std::size_t i, Eight lanes) {
        return mul_add(load(left[i + 3] + k), load(right[i + 3] + k), lanes);
      },
      out + 3);
}

inline void take_step(const Iterate& at, double length, const double* other, const double* image,
                      double kept, std::size_t n) {
  const Eight share = eight(length);
  const Eight old = eight(kept);
  for (std::size_t k = 0; k < n; k += kBlock) {
    const Eight direction = mul_add(old, load(at.direction + k), share * load(other + k));
    const Eight moved = mul_add(old, load(at.image + k), share * load(image + k));
    store(at.direction + k, direction);
    store(at.image + k, moved);
    store(at.x + k, load(at.x + k) + direction);
    store(at.residual + k, load(at.residual + k) - moved);
  }
}

}  // namespace
}  // namespace caucus::simd::CAUCUS_SIMD_VARIANT
