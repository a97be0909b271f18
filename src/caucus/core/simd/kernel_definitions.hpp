// The kernels, written in terms of lanes.hpp. The translation unit of each variant includes this
// once.
#pragma once

#include "caucus/core/simd/doubles.hpp"
#include "caucus/core/simd/draw_kernel.hpp"
#include "caucus/core/simd/eight_floats.hpp"
#include "caucus/core/simd/entropy_kernel.hpp"
#include "caucus/core/simd/exp_kernel.hpp"
#include "caucus/core/simd/groups.hpp"
#include "caucus/core/simd/kernel_table.hpp"
#include "caucus/core/simd/lanes.hpp"
#include "caucus/core/simd/philox_kernel.hpp"
#include "caucus/core/simd/product_kernels.hpp"
#include "caucus/core/simd/project_kernel.hpp"
#include "caucus/core/simd/short_kernels.hpp"
#include "caucus/core/simd/sincos_kernel.hpp"
#include "caucus/core/simd/solver_kernels.hpp"
#include "caucus/core/simd/symmetric_kernels.hpp"

namespace caucus::simd::CAUCUS_SIMD_VARIANT {
namespace {

inline double dot(const float* a, const float* b, std::size_t n) {
  if (n <= kShort) return short_dot(a, b, n);
  Lanes lanes = fill(0.0F);
  groups(
      n, [&](std::size_t k) { lanes = mul_add(load(a + k), load(b + k), lanes); },
      [&](std::size_t k, std::size_t rest) {
        lanes = mul_add(load_first(a + k, rest), load_first(b + k, rest), lanes);
      });
  return sum(lanes);
}

/// Computes several dot products at once: the additions of one depend on each other, those of
/// different ones do not.
template <std::size_t Count>
[[gnu::noinline]] void some_dots(const float* const* a, const float* const* b, std::size_t n,
                                 double* out) {
  Lanes lanes[Count];
  const float* x[Count];
  const float* y[Count];
  repeat<Count>([&](std::size_t j) {
    lanes[j] = fill(0.0F);
    x[j] = a[j];
    y[j] = b[j];
  });
  std::size_t k = 0;
  for (; k + kLanes <= n; k += kLanes) {
    repeat<Count>(
        [&](std::size_t j) { lanes[j] = mul_add(load(x[j] + k), load(y[j] + k), lanes[j]); });
  }
  if (k < n) {
    const std::size_t rest = n - k;
    repeat<Count>([&](std::size_t j) {
      lanes[j] = mul_add(load_first(x[j] + k, rest), load_first(y[j] + k, rest), lanes[j]);
    });
  }
  static_assert(Count == 4);
  sum_four(lanes, out);
}

inline void dots(const float* const* a, const float* const* b, std::size_t n, std::size_t count,
                 double* out) {
  if (n <= kShort) return short_dots(a, b, n, count, out);
  std::size_t j = 0;
  for (; j + 4 <= count; j += 4) some_dots<4>(a + j, b + j, n, out + j);
  for (; j < count; ++j) out[j] = dot(a[j], b[j], n);
}

inline void add_scaled(float* y, float factor, const float* x, std::size_t n) {
  const Lanes f = fill(factor);
  update(y, x, n, [&](Lanes old, Lanes more) { return mul_add(f, more, old); });
}

inline void scale(float* y, float factor, std::size_t n) {
  const Lanes f = fill(factor);
  update(y, y, n, [&](Lanes old, Lanes) { return multiply(f, old); });
}

inline double move_and_measure(float* w, float factor, const float* gradient, std::size_t n) {
  if (n <= kShort) {
    add_scaled(w, factor, gradient, n);
    return short_dot(w, w, n);
  }
  const Lanes f = fill(factor);
  Lanes squares = fill(0.0F);
  update(w, gradient, n, [&](Lanes old, Lanes g) {
    const Lanes moved = mul_add(f, g, old);
    squares = mul_add(moved, moved, squares);
    return moved;
  });
  return sum(squares);
}

inline std::size_t count_up_to(const double* x, double limit) {
  const Eight most = eight(limit);
  return count_at_most(load(x), most) + count_at_most(load(x + kBlock), most);
}

inline constexpr Kernels kTable = {CAUCUS_SIMD_NAME,
                                   dot,
                                   dots,
                                   add_scaled,
                                   add_product,
                                   add_products,
                                   add_exact_product,
                                   sum_exact_products,
                                   scale,
                                   move_and_measure,
                                   move_all_by_products,
                                   sum_and_measure,
                                   project,
                                   sincos<false>,
                                   sincos<true>,
                                   magnitude,
                                   symmetric_multiply,
                                   symmetric_add,
                                   dot_doubles,
                                   dots_with_floats,
                                   add_floats,
                                   add_outer_products,
                                   scale_by,
                                   step_products,
                                   take_step,
                                   exponentials,
                                   count_up_to,
                                   philox,
                                   draw_pairs,
                                   entropy_step,
                                   move_logs};

}  // namespace
}  // namespace caucus::simd::CAUCUS_SIMD_VARIANT
