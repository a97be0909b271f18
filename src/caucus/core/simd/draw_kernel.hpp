// Draws for sixteen clients from the same few models (see sampling.hpp).
#pragma once

#include "caucus/core/simd/doubles.hpp"
#include "caucus/core/simd/kernel_table.hpp"
#include "caucus/core/simd/words.hpp"

namespace caucus::simd::CAUCUS_SIMD_VARIANT {
namespace {

struct Draws {
  Words first, second;
  bool certain;
};

/// words[w] are the w-th words of sixteen streams. The first draw of a stream is the number of
/// running sums that its point passes. The second draw is the upper 32 bits of word * (models - 1),
/// unless the lower bits are among the few that require another draw.
[[gnu::always_inline]] inline Draws draws(const FewModels& models,
                                          const std::uint32_t* const* some_words) {
  const Words upper = load(some_words[0]);
  const Words lower = shifted_right(load(some_words[1]), 11);
  const auto last = static_cast<std::uint32_t>(models.count - 1);
  const Eight total = eight(models.sums[last]);
  const auto point = [&](Eight high_bits, Eight low_bits) {
    const Eight u =
        mul_add(high_bits, eight(0x1p-32), multiply(low_bits, eight(0x1p-53)));  // exact
    return multiply(u, total);
  };
  const Eight points[] = {point(first_doubles(upper), first_doubles(lower)),
                          point(last_doubles(upper), last_doubles(lower))};
  Eight counts[] = {eight(0.0), eight(0.0)};
  for (std::size_t i = 0; i <= last; ++i) {
    const Eight sum = eight(models.sums[i]);
    counts[0] = count_up(counts[0], sum, points[0]);
    counts[1] = count_up(counts[1], sum, points[1]);
  }
  const Words first = whole_numbers(counts[0], counts[1]);
  const Products picks = multiply(load(some_words[2]), last);
  const Words second = where_equal(picks.high, first, words(last), picks.high);
  // Rarely, a point is beyond all sums by rounding, or a draw may have to be repeated.
  const bool doubtful = any_above(first, words(last)) || any_above(words(last), picks.low);
  return {first, second, !doubtful};
}

/// Writes A_1 and A_2 of each client.
inline bool draw_pairs(const FewModels& models, const std::uint32_t* const* words,
                       std::uint32_t* pairs) {
  const Draws drawn = draws(models, words);
  std::uint32_t first[kLanes];
  std::uint32_t second[kLanes];
  store(first, drawn.first);
  store(second, drawn.second);
  for (std::size_t l = 0; l < kLanes; ++l) {
    pairs[2 * l] = first[l];
    pairs[2 * l + 1] = second[l];
  }
  return drawn.certain;
}

}  // namespace
}  // namespace caucus::simd::CAUCUS_SIMD_VARIANT
