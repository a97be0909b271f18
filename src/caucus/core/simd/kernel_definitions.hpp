// The kernels in terms of lanes.hpp. Included once by the translation unit of each variant.
#pragma once

#include "caucus/core/simd/doubles.hpp"
#include "caucus/core/simd/draw_kernel.hpp"
#include "caucus/core/simd/eight_floats.hpp"
#include "caucus/core/simd/entropy_kernel.hpp"
#include "caucus/core/simd/exp_kernel.hpp"
#include "caucus/core/simd/groups.hpp"
#include "caucus/core/simd/kernel_table.hpp"
#include "caucus/core/simd/lane_kernels.hpp"
#include "caucus/core/simd/lane_step_kernel.hpp"
#include "caucus/core/simd/lanes.hpp"
#include "caucus/core/simd/philox_kernel.hpp"
#include "caucus/core/simd/product_kernels.hpp"
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

/// Several at once: the additions of one dot wait for each other, those of different ones do not.
template <std::size_t Count>
inline void some_dots(const float* const* a, const float* const* b, std::size_t n, double* out) {
  Lanes lanes[Count];
  repeat<Count>([&](std::size_t j) { lanes[j] = fill(0.0F); });
  groups(
      n,
      [&](std::size_t k) {
        repeat<Count>(
            [&](std::size_t j) { lanes[j] = mul_add(load(a[j] + k), load(b[j] + k), lanes[j]); });
      },
      [&](std::size_t k, std::size_t rest) {
        repeat<Count>([&](std::size_t j) {
          lanes[j] = mul_add(load_first(a[j] + k, rest), load_first(b[j] + k, rest), lanes[j]);
        });
      });
  repeat<Count>([&](std::size_t j) { out[j] = sum(lanes[j]); });
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

/// The next Count vectors of `Rows` projections at once, so that the sums stay in registers; what they
/// are at most enters `largest`. Not inlined: g++ 12 runs out of registers in one large function.
template <std::size_t Rows, std::size_t Count>
[[gnu::noinline]] void project_block(const float* base, std::size_t inputs, std::size_t width,
                                     const float* const* x, float* out, Projected& largest) {
  Projected sums[Rows][Count];
  const auto each = [](auto&& work) {
    repeat<Rows>([&](std::size_t r) { repeat<Count>([&](std::size_t c) { work(r, c); }); });
  };
  each([&](std::size_t r, std::size_t c) { sums[r][c] = filled<Projected>(0.0F); });
  for (std::size_t l = 0; l < inputs; ++l) {
    Projected columns[Count];
    repeat<Count>([&](std::size_t c) {
      columns[c] = loaded<Projected>(base + l * width + c * kProjectedLanes);
    });
    repeat<Rows>([&](std::size_t r) {
      const auto value = filled<Projected>(x[r][l]);
      repeat<Count>([&](std::size_t c) { sums[r][c] = mul_add(value, columns[c], sums[r][c]); });
    });
  }
  Projected most = largest;
  each([&](std::size_t r, std::size_t c) {
    store(out + r * width + c * kProjectedLanes, sums[r][c]);
    most = larger_size(most, sums[r][c]);
  });
  largest = most;
}

/// All columns from k on.
template <std::size_t Rows, std::size_t Count>
void project_rows(const float* base, std::size_t inputs, std::size_t width, std::size_t k,
                  std::size_t columns, const float* const* x, float* out, Projected& largest) {
  for (; k + Count * kProjectedLanes <= columns; k += Count * kProjectedLanes) {
    project_block<Rows, Count>(base + k, inputs, width, x, out + k, largest);
  }
  if constexpr (Count > 1) {
    if (k < columns) {
      project_rows<Rows, Count - 1>(base, inputs, width, k, columns, x, out, largest);
    }
  }
}

/// So many rows, at most Rows, where Rows times Count sums fit the registers.
template <std::size_t Rows>
void project_some(std::size_t rows, const float* base, std::size_t inputs, std::size_t width,
                  std::size_t columns, const float* const* x, float* out, Projected& largest) {
  if constexpr (Rows > 0) {
    if (rows < Rows) {
      return project_some<Rows - 1>(rows, base, inputs, width, columns, x, out, largest);
    }
    constexpr std::size_t kFit = kProjectedSums / Rows;
    constexpr std::size_t kCount = kFit > 6 ? 6 : kFit > 1 ? kFit : 1;
    project_rows<Rows, kCount>(base, inputs, width, 0, columns, x, out, largest);
  }
}

/// Count vectors of so many rows, at most Rows.
template <std::size_t Count, std::size_t Rows>
void project_panel_block(std::size_t rows, const float* base, std::size_t inputs, std::size_t width,
                         const float* const* x, float* out, Projected& largest) {
  if constexpr (Rows > 0) {
    if (rows < Rows) {
      return project_panel_block<Count, Rows - 1>(rows, base, inputs, width, x, out, largest);
    }
    project_block<Rows, Count>(base, inputs, width, x, out, largest);
  }
}

/// Count vectors of all rows, in blocks of at most Rows, about equal.
template <std::size_t Count, std::size_t Rows>
void project_panel(const float* base, std::size_t inputs, std::size_t width, const float* const* x,
                   std::size_t count, float* out, Projected& largest) {
  for (std::size_t blocks = (count + Rows - 1) / Rows; blocks > 0; --blocks) {
    const std::size_t rows = (count + blocks - 1) / blocks;
    project_panel_block<Count, Rows>(rows, base, inputs, width, x, out, largest);
    x += rows;
    out += rows * width;
    count -= rows;
  }
}

/// A small base is read for few rows at once, so that more sums of each are in the registers; what
/// is left of the columns, and a base that leaves the first-level cache, for as many as they hold.
inline float project(const float* base, std::size_t inputs, std::size_t width, std::size_t columns,
                     const float* const* x, std::size_t count, float* out) {
  const std::size_t vectors = (columns + kProjectedLanes - 1) / kProjectedLanes;
  constexpr std::size_t kPanel = kProjectedPanel;
  constexpr std::size_t kPanelRows = kProjectedSums / kPanel;
  auto largest = filled<Projected>(0.0F);
  std::size_t k = 0;
  if (inputs * width <= kProjectedBase && vectors > kPanel) {
    const std::size_t even = vectors / kPanel * kPanel * kProjectedLanes;
    std::size_t done = 0;
    for (std::size_t blocks = (count + kProjectedRows - 1) / kProjectedRows; blocks > 0; --blocks) {
      const std::size_t rows = (count - done + blocks - 1) / blocks;
      project_some<kProjectedRows>(rows, base, inputs, width, even, x + done, out + done * width,
                                   largest);
      done += rows;
    }
    k = even;
  }
  for (; k + kPanel * kProjectedLanes <= vectors * kProjectedLanes; k += kPanel * kProjectedLanes) {
    project_panel<kPanel, kPanelRows>(base + k, inputs, width, x, count, out + k, largest);
  }
  for (; k < vectors * kProjectedLanes; k += kProjectedLanes) {
    project_panel<1, kProjectedSums>(base + k, inputs, width, x, count, out + k, largest);
  }
  return largest_lane(largest);
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
                                   sincos,
                                   magnitude,
                                   lane_outputs,
                                   square_losses,
                                   add_lane_products,
                                   add_lane_losses,
                                   estimate_lanes,
                                   step_lanes,
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
                                   draw_sets,
                                   entropy_step,
                                   move_logs};

}  // namespace
}  // namespace caucus::simd::CAUCUS_SIMD_VARIANT
