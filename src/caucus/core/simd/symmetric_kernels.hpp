// The kernels of symmetric matrices, for symmetric_matrix.hpp.
#pragma once

#include "caucus/core/simd/doubles.hpp"
#include "caucus/core/simd/kernel_table.hpp"
#include "caucus/core/simd/lanes.hpp"

namespace caucus::simd::CAUCUS_SIMD_VARIANT {
namespace {

/// Half of the rows of a block of 8: few enough for their values to stay in registers.
inline constexpr std::size_t kRows = 4;

/// Four rows of `columns` columns, which begin with row `first` of the matrix.
template <std::size_t Count>
inline void add_to_rows(double* rows, std::size_t columns, std::size_t first,
                        const double* const* vectors, const double* factors) {
  Eight weights[Count][kRows];
  for (std::size_t j = 0; j < Count; ++j) {
    for (std::size_t r = 0; r < kRows; ++r) {
      weights[j][r] = eight(factors[j] * vectors[j][first + r]);
    }
  }
  for (std::size_t l = 0; l < columns; l += kBlock) {
    Eight values[kRows];
    for (std::size_t r = 0; r < kRows; ++r) values[r] = load(rows + r * columns + l);
    for (std::size_t j = 0; j < Count; ++j) {
      const Eight v = load(vectors[j] + l);
      for (std::size_t r = 0; r < kRows; ++r) values[r] = mul_add(weights[j][r], v, values[r]);
    }
    for (std::size_t r = 0; r < kRows; ++r) store(rows + r * columns + l, values[r]);
  }
}

/// As many vectors at once as there are registers for.
template <std::size_t Count>
inline void add_vectors(double* rows, std::size_t columns, std::size_t first,
                        const double* const* vectors, const double* factors, std::size_t count) {
  std::size_t j = 0;
  for (; j + Count <= count; j += Count) {
    add_to_rows<Count>(rows, columns, first, vectors + j, factors + j);
  }
  if constexpr (Count > 1) {
    if (j < count) {
      add_vectors<Count - 1>(rows, columns, first, vectors + j, factors + j, count - j);
    }
  }
}

/// Four rows times x, and their mirror image times what x has there; row `first` of the matrix is
/// in the block whose diagonal begins at `diagonal`.
inline void multiply_rows(const double* rows, std::size_t diagonal, std::size_t first,
                          const double* x, double* y) {
  const std::size_t columns = diagonal + kBlock;
  Eight sums[kRows];
  Eight own[kRows];
  for (std::size_t r = 0; r < kRows; ++r) {
    sums[r] = eight(0.0);
    own[r] = eight(x[first + r]);
  }
  for (std::size_t l = 0; l < diagonal; l += kBlock) {
    const Eight other = load(x + l);
    Eight mirrored = load(y + l);
    for (std::size_t r = 0; r < kRows; ++r) {
      const Eight values = load(rows + r * columns + l);
      sums[r] = mul_add(values, other, sums[r]);
      mirrored = mul_add(values, own[r], mirrored);
    }
    store(y + l, mirrored);
  }
  const Eight other = load(x + diagonal);  // the diagonal block is whole: no mirror image
  for (std::size_t r = 0; r < kRows; ++r) {
    sums[r] = mul_add(load(rows + r * columns + diagonal), other, sums[r]);
    y[first + r] += sum(sums[r]);
  }
}

/// visit(rows, diagonal, first) for every four rows.
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

// One after the other, but while the rows are in the first-level cache.
inline void symmetric_add_multiply(double* matrix, std::size_t blocks, const double* const* vectors,
                                   const double* factors, std::size_t count, const double* x,
                                   double* y) {
  for (std::size_t k = 0; k < blocks * kBlock; ++k) y[k] = 0.0;
  by_rows(matrix, blocks, [&](double* rows, std::size_t diagonal, std::size_t first) {
    add_vectors<4>(rows, diagonal + kBlock, first, vectors, factors, count);
    multiply_rows(rows, diagonal, first, x, y);
  });
}

inline double dot_doubles(const double* a, const double* b, std::size_t n) {
  constexpr std::size_t kSums = 2;
  Eight sums[kSums] = {eight(0.0), eight(0.0)};
  for (std::size_t k = 0; k < n; k += kBlock) {
    Eight& lanes = sums[k / kBlock % kSums];
    lanes = mul_add(load(a + k), load(b + k), lanes);
  }
  return sum(sums[0]) + sum(sums[1]);
}

}  // namespace
}  // namespace caucus::simd::CAUCUS_SIMD_VARIANT
