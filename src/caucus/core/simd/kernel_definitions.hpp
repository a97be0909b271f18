// The kernels in terms of lanes.hpp. Included once by the translation unit of each variant.
#pragma once

#include "caucus/core/simd/exp_kernel.hpp"
#include "caucus/core/simd/kernel_table.hpp"
#include "caucus/core/simd/lanes.hpp"
#include "caucus/core/simd/philox_kernel.hpp"
#include "caucus/core/simd/sincos_kernel.hpp"
#include "caucus/core/simd/symmetric_kernels.hpp"

namespace caucus::simd::CAUCUS_SIMD_VARIANT {
namespace {

/// f(0), f(1), .. f(Count - 1), written out: the compiler unrolls a loop too late to keep an array
/// of lanes in registers.
template <std::size_t Count, class Function>
[[gnu::always_inline]] inline void repeat(Function f) {
  if constexpr (Count > 0) {
    repeat<Count - 1>(f);
    f(Count - 1);
  }
}

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
  std::size_t j = 0;
  for (; j + 4 <= count; j += 4) some_dots<4>(a + j, b + j, n, out + j);
  for (; j < count; ++j) out[j] = dot(a[j], b[j], n);
}

inline void add_scaled(float* y, float factor, const float* x, std::size_t n) {
  const Lanes f = fill(factor);
  update(y, x, n, [&](Lanes old, Lanes more) { return mul_add(f, more, old); });
}

inline void add_product(float* y, float factor, const float* x, std::size_t n) {
  const Lanes f = fill(factor);
  update(y, x, n, [&](Lanes old, Lanes more) { return add(old, multiply(f, more)); });
}

/// So many at once, a number that the compiler knows: loops of two or three steps cost more in
/// mispredicted ends than in work.
template <std::size_t Count>
inline void add_some_products(float* y, const Term* terms, std::size_t n) {
  Lanes factors[Count];
  repeat<Count>([&](std::size_t j) { factors[j] = fill(terms[j].factor); });
  groups(
      n,
      [&](std::size_t k) {
        Lanes sum = load(y + k);
        repeat<Count>(
            [&](std::size_t j) { sum = add(sum, multiply(factors[j], load(terms[j].x + k))); });
        store(y + k, sum);
      },
      [&](std::size_t k, std::size_t rest) {
        Lanes sum = load_first(y + k, rest);
        repeat<Count>([&](std::size_t j) {
          sum = add(sum, multiply(factors[j], load_first(terms[j].x + k, rest)));
        });
        store_first(y + k, rest, sum);
      });
}

inline void add_products(float* y, const Term* terms, std::size_t count, std::size_t n) {
  for (; count >= 4; terms += 4, count -= 4) add_some_products<4>(y, terms, n);
  if (count == 3) add_some_products<3>(y, terms, n);
  if (count == 2) add_some_products<2>(y, terms, n);
  if (count == 1) add_some_products<1>(y, terms, n);
}

inline void add_exact_product(double* y, float factor, const float* x, std::size_t n) {
  const auto f = static_cast<double>(factor);
  for (std::size_t k = 0; k < n; ++k) y[k] += f * static_cast<double>(x[k]);
}

/// The groups of eight [k, k + 8 Blocks) of share * sum of the products.
template <std::size_t Blocks>
[[gnu::always_inline]] inline void sum_exact_blocks(const Term* terms, std::size_t count,
                                                    Eight share, std::size_t k, float* out) {
  Eight sums[Blocks];
  repeat<Blocks>([&](std::size_t b) { sums[b] = eight(0.0); });
  for (const Term* term = terms; term < terms + count; ++term) {
    const Eight factor = eight(static_cast<double>(term->factor));
    repeat<Blocks>([&](std::size_t b) {
      sums[b] = mul_add(factor, widened(term->x + k + b * kBlock), sums[b]);
    });
  }
  repeat<Blocks>(
      [&](std::size_t b) { store_narrowed(out + k + b * kBlock, multiply(sums[b], share)); });
}

inline void sum_exact_products(const Term* terms, std::size_t count, double share, std::size_t n,
                               float* out) {
  const Eight s = eight(share);
  std::size_t k = 0;
  for (; k + 8 * kBlock <= n; k += 8 * kBlock) sum_exact_blocks<8>(terms, count, s, k, out);
  for (; k + kBlock <= n; k += kBlock) sum_exact_blocks<1>(terms, count, s, k, out);
  for (; k < n; ++k) {
    double sum = 0.0;
    for (const Term* term = terms; term < terms + count; ++term) {
      sum += static_cast<double>(term->factor) * static_cast<double>(term->x[k]);
    }
    out[k] = static_cast<float>(sum * share);
  }
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

/// Groups [k, k + 16 Groups) of the sum of products, each product rounded.
template <std::size_t Groups>
[[gnu::always_inline]] inline void sum_products(const Term* terms, std::size_t count, std::size_t k,
                                                Lanes* sums) {
  repeat<Groups>([&](std::size_t g) { sums[g] = fill(0.0F); });
  for (const Term* term = terms; term < terms + count; ++term) {
    const Lanes factor = fill(term->factor);
    repeat<Groups>([&](std::size_t g) {
      sums[g] = add(sums[g], multiply(factor, load(term->x + k + g * kLanes)));
    });
  }
}

/// move_and_measure for a gradient that is a sum of products and is not written down.
inline double move_by_products(const Move& move) {
  const Lanes factor = fill(move.factor);
  Lanes squares = fill(0.0F);
  const auto moved = [&](Lanes gradient, Lanes w) {
    w = mul_add(factor, gradient, w);
    squares = mul_add(w, w, squares);
    return w;
  };
  constexpr std::size_t kGroups = 4;
  Lanes gradient[kGroups];
  std::size_t k = 0;
  for (; k + kGroups * kLanes <= move.n; k += kGroups * kLanes) {
    sum_products<kGroups>(move.terms, move.count, k, gradient);
    repeat<kGroups>([&](std::size_t g) {
      float* const w = move.w + k + g * kLanes;
      store(w, moved(gradient[g], load(w)));
    });
  }
  for (; k + kLanes <= move.n; k += kLanes) {
    sum_products<1>(move.terms, move.count, k, gradient);
    store(move.w + k, moved(gradient[0], load(move.w + k)));
  }
  if (k < move.n) {
    const std::size_t rest = move.n - k;
    Lanes total = fill(0.0F);
    for (const Term* term = move.terms; term < move.terms + move.count; ++term) {
      total = add(total, multiply(fill(term->factor), load_first(term->x + k, rest)));
    }
    store_first(move.w + k, rest, moved(total, load_first(move.w + k, rest)));
  }
  return sum(squares);
}

inline void move_all_by_products(const Move* moves, std::size_t count, double* squares) {
  for (std::size_t m = 0; m < count; ++m) squares[m] = move_by_products(moves[m]);
}

/// add_products, and the squared norm of each product.
template <std::size_t Count>
inline void add_and_measure(float* y, const Term* terms, std::size_t n, double* squares) {
  Lanes factors[Count];
  Lanes sums[Count];
  repeat<Count>([&](std::size_t j) {
    factors[j] = fill(terms[j].factor);
    sums[j] = fill(0.0F);
  });
  groups(
      n,
      [&](std::size_t k) {
        Lanes total = load(y + k);
        repeat<Count>([&](std::size_t j) {
          const Lanes product = multiply(factors[j], load(terms[j].x + k));
          total = add(total, product);
          sums[j] = mul_add(product, product, sums[j]);
        });
        store(y + k, total);
      },
      [&](std::size_t k, std::size_t rest) {
        Lanes total = load_first(y + k, rest);
        repeat<Count>([&](std::size_t j) {
          const Lanes product = multiply(factors[j], load_first(terms[j].x + k, rest));
          total = add(total, product);
          sums[j] = mul_add(product, product, sums[j]);
        });
        store_first(y + k, rest, total);
      });
  repeat<Count>([&](std::size_t j) { squares[j] = sum(sums[j]); });
}

inline void add_products_and_measure(float* y, const Term* terms, std::size_t count, std::size_t n,
                                     double* squares) {
  for (; count >= 4; terms += 4, squares += 4, count -= 4) add_and_measure<4>(y, terms, n, squares);
  if (count == 3) add_and_measure<3>(y, terms, n, squares);
  if (count == 2) add_and_measure<2>(y, terms, n, squares);
  if (count == 1) add_and_measure<1>(y, terms, n, squares);
}

/// Columns [0, 16 Groups) of `Rows` projections at once, so that the sums stay in registers. Not
/// inlined: g++ 12 runs out of registers in one large function.
template <std::size_t Rows, std::size_t Groups>
[[gnu::noinline]] void project_block(const float* base, std::size_t inputs, std::size_t width,
                                     const float* const* x, float* out) {
  Lanes sums[Rows][Groups];
  const auto each = [](auto&& work) {
    repeat<Rows>([&](std::size_t r) { repeat<Groups>([&](std::size_t g) { work(r, g); }); });
  };
  each([&](std::size_t r, std::size_t g) { sums[r][g] = fill(0.0F); });
  for (std::size_t l = 0; l < inputs; ++l) {
    Lanes columns[Groups];
    repeat<Groups>([&](std::size_t g) { columns[g] = load(base + l * width + g * kLanes); });
    repeat<Rows>([&](std::size_t r) {
      const Lanes value = fill(x[r][l]);
      repeat<Groups>([&](std::size_t g) { sums[r][g] = mul_add(value, columns[g], sums[r][g]); });
    });
  }
  each([&](std::size_t r, std::size_t g) { store(out + r * width + g * kLanes, sums[r][g]); });
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
                                   add_products_and_measure,
                                   project,
                                   sincos,
                                   magnitude,
                                   symmetric_multiply,
                                   symmetric_add_multiply,
                                   dot_doubles,
                                   exponentials,
                                   count_up_to,
                                   philox};

}  // namespace
}  // namespace caucus::simd::CAUCUS_SIMD_VARIANT
