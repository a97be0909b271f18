// The kernels in terms of lanes.hpp. Included once by the translation unit of each variant.
#pragma once

#include "caucus/core/simd/kernel_table.hpp"
#include "caucus/core/simd/lanes.hpp"

namespace caucus::simd::CAUCUS_SIMD_VARIANT {
namespace {

/// whole(k) for every group of 16 that begins at k, then rest(k, count) for what is left.
template <class Whole, class Rest>
inline void groups(std::size_t n, Whole whole, Rest rest) {
  std::size_t k = 0;
  for (; k + kLanes <= n; k += kLanes) whole(k);
  if (k < n) rest(k, n - k);
}

/// y_k <- f(y_k, x_k)
template <class Function>
inline void update(float* y, const float* x, std::size_t n, Function f) {
  groups(
      n, [&](std::size_t k) { store(y + k, f(load(y + k), load(x + k))); },
      [&](std::size_t k, std::size_t rest) {
        store_first(y + k, rest, f(load_first(y + k, rest), load_first(x + k, rest)));
      });
}

inline double dot(const float* a, const float* b, std::size_t n) {
  Lanes lanes = fill(0.0F);
  groups(
      n, [&](std::size_t k) { lanes = mul_add(load(a + k), load(b + k), lanes); },
      [&](std::size_t k, std::size_t rest) {
        lanes = mul_add(load_first(a + k, rest), load_first(b + k, rest), lanes);
      });
  return sum(lanes);
}

inline void add_scaled(float* y, float factor, const float* x, std::size_t n) {
  const Lanes f = fill(factor);
  update(y, x, n, [&](Lanes old, Lanes more) { return mul_add(f, more, old); });
}

inline void add_product(float* y, float factor, const float* x, std::size_t n) {
  const Lanes f = fill(factor);
  update(y, x, n, [&](Lanes old, Lanes more) { return add(old, multiply(f, more)); });
}

inline void add_exact_product(double* y, float factor, const float* x, std::size_t n) {
  const auto f = static_cast<double>(factor);
  for (std::size_t k = 0; k < n; ++k) y[k] += f * static_cast<double>(x[k]);
}

inline void scale(float* y, float factor, std::size_t n) {
  const Lanes f = fill(factor);
  update(y, y, n, [&](Lanes old, Lanes) { return multiply(f, old); });
}

inline double move_and_measure(float* w, float factor, const float* gradient, std::size_t n) {
  const Lanes f = fill(factor);
  Lanes squares = fill(0.0F);
  update(w, gradient, n, [&](Lanes old, Lanes g) {
    const Lanes moved = mul_add(f, g, old);
    squares = mul_add(moved, moved, squares);
    return moved;
  });
  return sum(squares);
}

/// Columns [0, 16 Groups) of `Rows` projections at once, so that the sums stay in registers. Not
/// inlined: g++ 12 runs out of registers in one large function.
template <std::size_t Rows, std::size_t Groups>
[[gnu::noinline]] void project_block(const float* base, std::size_t inputs, std::size_t width,
                                     const float* const* x, float* out) {
  Lanes sums[Rows][Groups];
  for (auto& row : sums) {
    for (Lanes& lanes : row) lanes = fill(0.0F);
  }
  for (std::size_t l = 0; l < inputs; ++l) {
    Lanes columns[Groups];
    for (std::size_t g = 0; g < Groups; ++g) columns[g] = load(base + l * width + g * kLanes);
    for (std::size_t r = 0; r < Rows; ++r) {
      const Lanes value = fill(x[r][l]);
      for (std::size_t g = 0; g < Groups; ++g) sums[r][g] = mul_add(value, columns[g], sums[r][g]);
    }
  }
  for (std::size_t r = 0; r < Rows; ++r) {
    for (std::size_t g = 0; g < Groups; ++g) store(out + r * width + g * kLanes, sums[r][g]);
  }
}

template <std::size_t Rows, std::size_t Groups>
void project_rows(const float* base, std::size_t inputs, std::size_t width, std::size_t k,
                  const float* const* x, float* out) {
  for (; k + Groups * kLanes <= width; k += Groups * kLanes) {
    project_block<Rows, Groups>(base + k, inputs, width, x, out + k);
  }
  if constexpr (Groups > 1) {
    if (k < width) project_rows<Rows, Groups - 1>(base, inputs, width, k, x, out);
  }
}

template <std::size_t Rows>
void project_all(const float* base, std::size_t inputs, std::size_t width, const float* const* x,
                 std::size_t count, float* out) {
  std::size_t row = 0;
  for (; row + Rows <= count; row += Rows) {
    project_rows<Rows, kProjectedGroups>(base, inputs, width, 0, x + row, out + row * width);
  }
  if constexpr (Rows > 1) {
    if (row < count) {
      project_all<Rows - 1>(base, inputs, width, x + row, count - row, out + row * width);
    }
  }
}

inline void project(const float* base, std::size_t inputs, std::size_t width, const float* const* x,
                    std::size_t count, float* out) {
  project_all<kProjectedRows>(base, inputs, width, x, count, out);
}

// With n the integer nearest to u and r = u - n, exactly, cos(pi u) = (-1)^n cos(pi r), and so the
// sine; |r| <= 1/2. The polynomials are minimax there, the cosine's with value 1 at 0.
inline void sincos(const float* x, float factor, float amplitude, std::size_t n, float* cosine,
                   float* sine) {
  const Lanes limit = fill(4194304.0F);   // 2^22
  const Lanes magic = fill(12582912.0F);  // 1.5 * 2^23: adding it rounds to the nearest integer
  const Lanes f = fill(factor);
  const auto scaled = [&](float coefficient) { return fill(amplitude * coefficient); };
  const Lanes c0 = fill(amplitude);
  const Lanes c1 = scaled(-4.93479538F);
  const Lanes c2 = scaled(4.05845118F);
  const Lanes c3 = scaled(-1.3320936F);
  const Lanes c4 = scaled(0.220080182F);
  const Lanes s0 = scaled(3.1415925F);
  const Lanes s1 = scaled(-5.16770506F);
  const Lanes s2 = scaled(2.55000186F);
  const Lanes s3 = scaled(-0.597871304F);
  const Lanes s4 = scaled(0.0768838301F);
  struct Pair {
    Lanes cosine, sine;
  };
  const auto evaluate = [&](Lanes value) -> Pair {
    const Lanes u = keep_below(multiply(value, f), limit);
    const Lanes count = add(u, magic);
    const Lanes r = subtract(u, subtract(count, magic));
    const Lanes s = multiply(r, r);
    Lanes c = mul_add(s, c4, c3);
    c = mul_add(s, c, c2);
    c = mul_add(s, c, c1);
    c = mul_add(s, c, c0);
    Lanes t = mul_add(s, s4, s3);
    t = mul_add(s, t, s2);
    t = mul_add(s, t, s1);
    t = multiply(r, mul_add(s, t, s0));
    return {turn_if_odd(c, count), turn_if_odd(t, count)};
  };
  groups(
      n,
      [&](std::size_t k) {
        const Pair pair = evaluate(load(x + k));
        store(cosine + k, pair.cosine);
        store(sine + k, pair.sine);
      },
      [&](std::size_t k, std::size_t rest) {
        const Pair pair = evaluate(load_first(x + k, rest));
        store_first(cosine + k, rest, pair.cosine);
        store_first(sine + k, rest, pair.sine);
      });
}

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

inline void symmetric_add(double* matrix, std::size_t blocks, const double* const* vectors,
                          const double* factors, std::size_t count) {
  by_rows(matrix, blocks, [&](double* rows, std::size_t diagonal, std::size_t first) {
    add_vectors<4>(rows, diagonal + kBlock, first, vectors, factors, count);
  });
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

inline constexpr Kernels kTable = {CAUCUS_SIMD_NAME,
                                   dot,
                                   add_scaled,
                                   add_product,
                                   add_exact_product,
                                   scale,
                                   move_and_measure,
                                   project,
                                   sincos,
                                   symmetric_add,
                                   symmetric_multiply,
                                   symmetric_add_multiply,
                                   dot_doubles};

}  // namespace
}  // namespace caucus::simd::CAUCUS_SIMD_VARIANT
