// Sums of products of a number and a vector: gradients of several clients.
#pragma once

#include "caucus/core/simd/doubles.hpp"
#include "caucus/core/simd/groups.hpp"
#include "caucus/core/simd/kernel_table.hpp"
#include "caucus/core/simd/lanes.hpp"
#include "caucus/core/simd/short_kernels.hpp"

namespace caucus::simd::CAUCUS_SIMD_VARIANT {
namespace {

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
  for (; k + kExactSums * kBlock <= n; k += kExactSums * kBlock) {
    sum_exact_blocks<kExactSums>(terms, count, s, k, out);
  }
  for (; k + kBlock <= n; k += kBlock) sum_exact_blocks<1>(terms, count, s, k, out);
  for (; k < n; ++k) {
    double sum = 0.0;
    for (const Term* term = terms; term < terms + count; ++term) {
      sum += static_cast<double>(term->factor) * static_cast<double>(term->x[k]);
    }
    out[k] = static_cast<float>(sum * share);
  }
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
  return move.n <= kShort ? short_dot(move.w, move.w, move.n) : sum(squares);
}

/// That for so many terms, a number that the compiler knows: no inner loop whose end is
/// mispredicted.
template <std::size_t Count>
[[gnu::noinline]] double move_by_some_products(const Move& move) {
  const float* x[Count];
  Lanes factors[Count];
  repeat<Count>([&](std::size_t j) {
    x[j] = move.terms[j].x;
    factors[j] = fill(move.terms[j].factor);
  });
  const Lanes factor = fill(move.factor);
  float* const w = move.w;
  const std::size_t n = move.n;
  Lanes squares = fill(0.0F);
  const auto moved = [&](const auto& load_at, Lanes old) __attribute__((always_inline)) {
    Lanes gradient = fill(0.0F);
    repeat<Count>(
        [&](std::size_t j) { gradient = add(gradient, multiply(factors[j], load_at(x[j]))); });
    const Lanes now = mul_add(factor, gradient, old);
    squares = mul_add(now, now, squares);
    return now;
  };
  std::size_t k = 0;
  for (; k + kLanes <= n; k += kLanes) {
    store(w + k, moved([&](const float* p) { return load(p + k); }, load(w + k)));
  }
  if (k < n) {
    const std::size_t rest = n - k;
    const auto load_rest = [&](const float* p) { return load_first(p + k, rest); };
    store_first(w + k, rest, moved(load_rest, load_rest(w)));
  }
  return n <= kShort ? short_dot(w, w, n) : sum(squares);
}

inline void move_all_by_products(const Move* moves, std::size_t count, double* squares) {
  using Function = double (*)(const Move&);
  static constexpr Function kFor[] = {move_by_products,         move_by_some_products<1>,
                                      move_by_some_products<2>, move_by_some_products<3>,
                                      move_by_some_products<4>, move_by_some_products<5>,
                                      move_by_some_products<6>};
  for (const Move* move = moves; move < moves + count; ++move, ++squares) {
    *squares = move->count < sizeof(kFor) / sizeof(kFor[0]) ? kFor[move->count](*move)
                                                            : move_by_products(*move);
  }
}

/// Adds a few products to y, which is 0 before if Fresh, and gives the squared norms of each product
/// and, of all sixteen lanes, of the sum.
template <std::size_t Count, bool Fresh>
inline Lanes add_and_measure(float* y, const Term* terms, std::size_t n, double* squares) {
  Lanes factors[Count];
  Lanes sums[Count];
  repeat<Count>([&](std::size_t j) {
    factors[j] = fill(terms[j].factor);
    sums[j] = fill(0.0F);
  });
  Lanes square = fill(0.0F);
  const auto added = [&](Lanes total, const auto& load_at) __attribute__((always_inline)) {
    repeat<Count>([&](std::size_t j) {
      const Lanes product = multiply(factors[j], load_at(terms[j].x));
      total = add(total, product);
      sums[j] = mul_add(product, product, sums[j]);
    });
    square = mul_add(total, total, square);
    return total;
  };
  groups(
      n,
      [&](std::size_t k) {
        const auto load_at = [&](const float* p) { return load(p + k); };
        store(y + k, added(Fresh ? fill(0.0F) : load_at(y), load_at));
      },
      [&](std::size_t k, std::size_t rest) {
        const auto load_at = [&](const float* p) { return load_first(p + k, rest); };
        store_first(y + k, rest, added(Fresh ? fill(0.0F) : load_at(y), load_at));
      });
  repeat<Count>(
      [&](std::size_t j) { squares[j] = n <= kShort ? short_square(terms[j], n) : sum(sums[j]); });
  return square;
}

inline double sum_and_measure(const Term* terms, std::size_t count, std::size_t n, float* out,
                              double* squares) {
  Lanes square = fill(0.0F);
  const auto next = [&]<std::size_t Count, bool Fresh>() {
    square = add_and_measure<Count, Fresh>(out, terms, n, squares);
    terms += Count;
    squares += Count;
    count -= Count;
  };
  // The first ones, which begin the sum, then four at a time.
  switch (count % 4) {
    case 1: next.template operator()<1, true>(); break;
    case 2: next.template operator()<2, true>(); break;
    case 3: next.template operator()<3, true>(); break;
    default: next.template operator()<4, true>(); break;
  }
  while (count > 0) next.template operator()<4, false>();
  return n <= kShort ? short_dot(out, out, n) : sum(square);
}

}  // namespace
}  // namespace caucus::simd::CAUCUS_SIMD_VARIANT
