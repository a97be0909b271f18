// The kernels of symmetric_matrix.hpp.
#pragma once

#include "caucus/core/simd/kernel_table.hpp"
#include "caucus/core/simd/vectors.hpp"

namespace caucus::simd::CAUCUS_SIMD_VARIANT {
namespace {

/// Multiplies four rows, and their mirror image, with x. Row `first` of the matrix is in the block
/// whose diagonal begins at `diagonal`.
inline void multiply_rows(const double* rows, std::size_t diagonal, std::size_t first,
                          const double* x, double* y) {
  Eight sums[kRows];
  Eight own[kRows];
  repeat<kRows>([&](std::size_t r) {
    sums[r] = eight(0.0);
    own[r] = eight(x[first + r]);
  });
  for (std::size_t l = 0; l < diagonal; l += kBlock) {
    const Eight other = load(x + l);
    Eight mirrored = load(y + l);
    repeat<kRows>([&](std::size_t r) {
      const Eight values = load(rows + l * kRows + r * kBlock);
      sums[r] = mul_add(values, other, sums[r]);
      mirrored = mul_add(values, own[r], mirrored);
    });
    store(y + l, mirrored);
  }
  const Eight other =
      load(x + diagonal);  // the diagonal block is stored completely, without a mirror image
  repeat<kRows>([&](std::size_t r) {
    sums[r] = mul_add(load(rows + diagonal * kRows + r * kBlock), other, sums[r]);
    y[first + r] += sum(sums[r]);
  });
}

/// Calls visit(rows, diagonal, first) for every four rows.
template <class Matrix, class Visit>
inline void by_rows(Matrix* matrix, std::size_t blocks, Visit visit) {
  for (std::size_t b = 0; b < blocks; ++b) {
    const std::size_t diagonal = b * kBlock;
    for (std::size_t first = diagonal; first < diagonal + kBlock; first += kRows) {
      visit(matrix, diagonal, first);
      matrix += kRows * (diagonal + kBlock);
    }
  }
}

inline void symmetric_multiply(const double* matrix, std::size_t blocks, const double* x,
                               double* y) {
  for (std::size_t k = 0; k < blocks * kBlock; ++k) y[k] = 0.0;
  by_rows(matrix, blocks, [&](const double* rows, std::size_t diagonal, std::size_t first) {
    multiply_rows(rows, diagonal, first, x, y);
  });
}

/// Adds all vectors to four rows and Groups times 8 columns of the sum, which stay in registers.
template <std::size_t Groups>
inline void add_tile(double* tile, const float* row, const float* columns, std::size_t n,
                     std::size_t count, Eight scale) {
  EightFloats sums[Groups][kRows];
  const auto each = [](auto work) {
    repeat<Groups>([&](std::size_t g) { repeat<kRows>([&](std::size_t r) { work(g, r); }); });
  };
  each([&](std::size_t g, std::size_t r) { sums[g][r] = filled<EightFloats>(0.0F); });
  for (std::size_t j = 0; j < count; ++j) {
    EightFloats v[Groups];
    repeat<Groups>([&](std::size_t g) { v[g] = loaded<EightFloats>(columns + g * kBlock); });
    repeat<kRows>([&](std::size_t r) {
      const auto weight = filled<EightFloats>(row[r]);
      repeat<Groups>([&](std::size_t g) { sums[g][r] = mul_add(weight, v[g], sums[g][r]); });
    });
    row += n;
    columns += n;
  }
  each([&](std::size_t g, std::size_t r) {
    double* values = tile + (g * kRows + r) * kBlock;
    store(values, mul_add(widened(sums[g][r]), scale, load(values)));
  });
}

inline void symmetric_add(double* matrix, std::size_t blocks, const float* vectors,
                          std::size_t count, double factor) {
  if (count == 0) return;  // the pointer may be invalid
  const std::size_t n = blocks * kBlock;
  const Eight scale = eight(factor);
  by_rows(matrix, blocks, [&](double* rows, std::size_t diagonal, std::size_t first) {
    const std::size_t columns = diagonal + kBlock;
    const auto add = [&]<std::size_t Groups>(std::size_t l) {
      add_tile<Groups>(rows + l * kRows, vectors + first, vectors + l, n, count, scale);
    };
    std::size_t l = 0;
    for (; l + 3 * kBlock <= columns; l += 3 * kBlock) add.template operator()<3>(l);
    if (l + 2 * kBlock == columns) add.template operator()<2>(l);
    if (l + kBlock == columns) add.template operator()<1>(l);
  });
}

/// The sum of a_k b_k, in 16 lanes.
inline double dot_doubles(const double* a, const double* b, std::size_t n) {
  Eight even = eight(0.0);
  Eight odd = eight(0.0);
  std::size_t k = 0;
  for (; k + 2 * kBlock <= n; k += 2 * kBlock) {
    even = mul_add(load(a + k), load(b + k), even);
    odd = mul_add(load(a + k + kBlock), load(b + k + kBlock), odd);
  }
  if (k < n) even = mul_add(load(a + k), load(b + k), even);
  return sum(even) + sum(odd);
}

}  // namespace
}  // namespace caucus::simd::CAUCUS_SIMD_VARIANT
