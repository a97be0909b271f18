// What sixteen clients draw from the same few models (sampling.hpp).
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

/// words[w] are the w-th words of sixteen streams. Each stream's first draw passes some of the
/// running sums, and as many as it passes is the model it draws; its second draw is word * (models
/// - 1), of which the upper 32 bits are another model unless the lower ones are among the few that
/// have to be drawn again.
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
  // Beyond all sums by rounding, or a pick that may have to be drawn again: seldom.
  const bool doubtful = any_above(first, words(last)) || any_above(words(last), picks.low);
  return {first, second, !doubtful};
}

/// A_1 and A_2 of each client, one after the other.
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
