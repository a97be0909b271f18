// Sums of terms factor * x, such as the gradients of several clients.
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

/// Adds a fixed number of terms, from index `begin` on. The number is a template parameter, because
/// short inner loops cost more in mispredicted branches than in work. If Fresh, y counts as 0
/// before.
template <std::size_t Count, bool Fresh>
[[gnu::noinline]] void add_some_products(float* y, const Term* terms, std::size_t begin,
                                         std::size_t n) {
  Lanes factors[Count];
  const float* x[Count];
  repeat<Count>([&](std::size_t j) {
    factors[j] = fill(terms[j].factor);
    x[j] = terms[j].x + begin;
  });
  const auto added = [&](Lanes sum, const auto& load_at) __attribute__((always_inline)) {
    repeat<Count>([&](std::size_t j) { sum = add(sum, multiply(factors[j], load_at(x[j]))); });
    return sum;
  };
  std::size_t k = 0;
  for (; k + kLanes <= n; k += kLanes) {
    const auto load_at = [&](const float* p) { return load(p + k); };
    store(y + k, added(Fresh ? fill(0.0F) : load_at(y), load_at));
  }
  if (k < n) {
    const std::size_t rest = n - k;
    const auto load_at = [&](const float* p) { return load_first(p + k, rest); };
    store_first(y + k, rest, added(Fresh ? fill(0.0F) : load_at(y), load_at));
  }
}

/// Adds all terms, four at a time, so that y is read and written less often.
template <bool Fresh>
inline void add_products_from(float* y, const Term* terms, std::size_t count, std::size_t begin,
                              std::size_t n) {
  if (count >= 4) {
    add_some_products<4, Fresh>(y, terms, begin, n);
    if (count > 4) add_products_from<false>(y, terms + 4, count - 4, begin, n);
    return;
  }
  if (count == 3) add_some_products<3, Fresh>(y, terms, begin, n);
  if (count == 2) add_some_products<2, Fresh>(y, terms, begin, n);
  if (count == 1) add_some_products<1, Fresh>(y, terms, begin, n);
}

inline void add_products(float* y, const Term* terms, std::size_t count, std::size_t n) {
  add_products_from<false>(y, terms, count, 0, n);
}

inline void add_exact_product(double* y, float factor, const float* x, std::size_t n) {
  const auto f = static_cast<double>(factor);
  for (std::size_t k = 0; k < n; ++k) y[k] += f * static_cast<double>(x[k]);
}

/// Computes the numbers [k, k + 8 Blocks) of share * the sum of the terms.
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

/// w <- w + factor * (gradient + the terms), from index `begin` on. Adds w^2 of each lane to
/// `squares`. The number of terms is a template parameter, so that no inner loop is mispredicted.
/// If Fresh, the gradient counts as 0.
template <std::size_t Count, bool Fresh>
[[gnu::noinline]] void move_by_some_products(const Move& move, const Term* terms, std::size_t begin,
                                             std::size_t n, const float* gradient, Lanes& squares) {
  const float* x[Count];
  Lanes factors[Count];
  repeat<Count>([&](std::size_t j) {
    x[j] = terms[j].x + begin;
    factors[j] = fill(terms[j].factor);
  });
  const Lanes factor = fill(move.factor);
  float* const w = move.w + begin;
  Lanes all_squares = squares;
  const auto moved = [&](const auto& load_at) __attribute__((always_inline)) {
    Lanes sum = Fresh ? fill(0.0F) : load_at(gradient);
    repeat<Count>([&](std::size_t j) { sum = add(sum, multiply(factors[j], load_at(x[j]))); });
    const Lanes now = mul_add(factor, sum, load_at(w));
    all_squares = mul_add(now, now, all_squares);
    return now;
  };
  std::size_t k = 0;
  for (; k + kLanes <= n; k += kLanes) {
    store(w + k, moved([&](const float* p) { return load(p + k); }));
  }
  if (k < n) {
    const std::size_t rest = n - k;
    store_first(w + k, rest, moved([&](const float* p) { return load_first(p + k, rest); }));
  }
  squares = all_squares;
}

/// move_and_measure() for a gradient that is a sum of terms. The last terms are added while w is
/// updated; if there are more, the sum of the first ones is stored before, one part at a time.
inline double move_by_products(const Move& move) {
  constexpr std::size_t kPart = 256;
  constexpr std::size_t kLast = 6;
  alignas(64) float gradient[kPart];
  Lanes squares = fill(0.0F);
  const std::size_t first = move.count > kLast ? move.count - kLast : 0;
  const Term* const terms = move.terms + first;
  for (std::size_t begin = 0; begin < move.n; begin += kPart) {
    const std::size_t n = move.n - begin < kPart ? move.n - begin : kPart;
    if (first > 0) {
      add_products_from<true>(gradient, move.terms, first, begin, n);
      move_by_some_products<kLast, false>(move, terms, begin, n, gradient, squares);
      continue;
    }
    switch (move.count) {
      case 1:
        move_by_some_products<1, true>(move, terms, begin, n, nullptr, squares);
        break;
      case 2:
        move_by_some_products<2, true>(move, terms, begin, n, nullptr, squares);
        break;
      case 3:
        move_by_some_products<3, true>(move, terms, begin, n, nullptr, squares);
        break;
      case 4:
        move_by_some_products<4, true>(move, terms, begin, n, nullptr, squares);
        break;
      case 5:
        move_by_some_products<5, true>(move, terms, begin, n, nullptr, squares);
        break;
      default:
        move_by_some_products<6, true>(move, terms, begin, n, nullptr, squares);
        break;
    }
  }
  return move.n <= kShort ? short_dot(move.w, move.w, move.n) : sum(squares);
}

inline void move_all_by_products(const Move* moves, std::size_t count, double* squares) {
  for (const Move* move = moves; move < moves + count; ++move) *squares++ = move_by_products(*move);
}

/// Adds a few terms to y, which counts as 0 before if Fresh. Gives the squared norm of each term,
/// and the squares of the sum in sixteen lanes.
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
  // The first terms start the sum; the others follow four at a time.
  switch (count % 4) {
    case 1:
      next.template operator()<1, true>();
      break;
    case 2:
      next.template operator()<2, true>();
      break;
    case 3:
      next.template operator()<3, true>();
      break;
    default:
      next.template operator()<4, true>();
      break;
  }
  while (count > 0) next.template operator()<4, false>();
  return n <= kShort ? short_dot(out, out, n) : sum(square);
}

}  // namespace
}  // namespace caucus::simd::CAUCUS_SIMD_VARIANT
