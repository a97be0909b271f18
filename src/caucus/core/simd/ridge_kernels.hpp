// The kernels of recursive_ridge.hpp. The rows of its factor are stored in groups of four, each
// from the first column of its group on, so that every row begins with a whole vector.
#pragma once

#include "caucus/core/simd/kernel_table.hpp"
#include "caucus/core/simd/vectors.hpp"

namespace caucus::simd::CAUCUS_SIMD_VARIANT {
namespace {

using Four = Vector<double, kFactorRows>;

/// Returns a vector of these numbers. It goes through registers, because a vector that is loaded
/// right after its numbers were stored one by one has to wait for them.
template <class V>
inline V of_four(double a, double b, double c, double d) {
  using Part = typename V::Part;
  if constexpr (V::kWidth == 4) {
    return {{Part{a, b, c, d}}};
  } else {
    return {{Part{a, b}, Part{c, d}}};
  }
}

/// Calls visit(rows, group, at, count) for each group with rows from `first` to `last`: `count` of
/// them, which begin at number `at` of the group that begins in column `group`.
template <bool Backwards, class Factor, class Visit>
inline void by_groups(Factor* factor, std::size_t width, std::size_t first, std::size_t last,
                      Visit visit) {
  if (first >= last) return;
  const std::size_t lowest = first / kFactorRows * kFactorRows;
  const std::size_t highest = (last - 1) / kFactorRows * kFactorRows;
  for (std::size_t n = 0; n <= highest - lowest; n += kFactorRows) {
    const std::size_t group = Backwards ? highest - n : lowest + n;
    const std::size_t at = first > group ? first - group : 0;
    const std::size_t end = last - group < kFactorRows ? last - group : kFactorRows;
    Factor* const rows = factor + place_in_factor(width, group + at, group);
    if (end - at == 4) visit.template operator()<4>(rows, group, at);
    if (end - at == 3) visit.template operator()<3>(rows, group, at);
    if (end - at == 2) visit.template operator()<2>(rows, group, at);
    if (end - at == 1) visit.template operator()<1>(rows, group, at);
  }
}

inline void ridge_project(const double* factor, std::size_t width, std::size_t first,
                          std::size_t last, double* row, double* projected) {
  by_groups<false>(factor, width, first, last,
                   [&]<std::size_t Rows>(const double* rows, std::size_t group, std::size_t at) {
                     const std::size_t columns = width - group;
                     double* const w = row + group;
                     double p[Rows];
                     repeat<Rows>([&](std::size_t r) {
                       double value = w[at + r];
                       for (std::size_t i = 0; i < r; ++i) {
                         value = fused(-p[i], rows[i * columns + at + r], value);
                       }
                       p[r] = value;
                       projected[group + at + r] = value;
                     });
                     Four factors[Rows];
                     repeat<Rows>([&](std::size_t r) { factors[r] = filled<Four>(-p[r]); });
                     for (std::size_t j = 0; j < columns; j += kFactorRows) {
                       Four moved = loaded<Four>(w + j);
                       repeat<Rows>([&](std::size_t r) {
                         moved = mul_add(factors[r], loaded<Four>(rows + r * columns + j), moved);
                       });
                       store(w + j, moved);
                     }
                   });
}

/// Computes the rates of a rank-one update, and changes the inverses of the diagonal.
inline void update_diagonal(const RidgeUpdate& by) {
  const Four kept = filled<Four>(by.kept);
  double total = 1.0;
  for (std::size_t k = by.first / kFactorRows * kFactorRows; k < by.size; k += kFactorRows) {
    const Four p = loaded<Four>(by.projected + k);
    const Four inverses = kept * loaded<Four>(by.inverses + k);
    const Four rates = inverses * p;
    double added[kFactorRows];
    store(added, p * rates);
    const double first = total + added[0];
    const double second = first + added[1];
    const double third = second + added[2];
    const double fourth = third + added[3];
    const Four share = filled<Four>(1.0) / of_four<Four>(first, second, third, fourth);
    store(by.rates + k, share * rates);
    store(by.inverses + k, inverses * (of_four<Four>(total, first, second, third) * share));
    total = fourth;
  }
}

inline void ridge_update(const RidgeUpdate& by) {
  update_diagonal(by);
  by_groups<true>(by.factor, by.width, by.first, by.size,
                  [&]<std::size_t Rows>(double* rows, std::size_t group, std::size_t at) {
                    const std::size_t columns = by.width - group;
                    double* const w = by.row + group;
                    Four rates[Rows];
                    Four projected[Rows];
                    repeat<Rows>([&](std::size_t r) {
                      rates[r] = filled<Four>(by.rates[group + at + r]);
                      projected[r] = filled<Four>(by.projected[group + at + r]);
                    });
                    for (std::size_t j = 0; j < columns; j += kFactorRows) {
                      Four moved = loaded<Four>(w + j);
                      repeat<Rows>([&](std::size_t n) {
                        const std::size_t r = Rows - 1 - n;
                        double* const to = rows + r * columns + j;
                        const Four old = loaded<Four>(to);
                        store(to, mul_add(rates[r], moved, old));
                        moved = mul_add(projected[r], old, moved);
                      });
                      store(w + j, moved);
                    }
                  });
}

}  // namespace
}  // namespace caucus::simd::CAUCUS_SIMD_VARIANT
