#include "roofline.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <vector>

namespace caucus::bench {
namespace {

#ifdef __AVX512F__
constexpr std::size_t kBytes = 64;
#elif defined(__AVX__)
constexpr std::size_t kBytes = 32;
#else
constexpr std::size_t kBytes = 16;
#endif
using Lanes [[gnu::vector_size(kBytes)]] = float;
constexpr std::size_t kLanes = kBytes / sizeof(float);

#ifdef __x86_64__
#define CAUCUS_IN_VECTOR_REGISTER "+v"
#else
#define CAUCUS_IN_VECTOR_REGISTER "+w"
#endif

double seconds_of(std::clock_t ticks) { return static_cast<double>(ticks) / CLOCKS_PER_SEC; }

constexpr std::size_t kChains = 10;

/// Independent chains, more than the latency of a multiply-add times the number of units. Each has
/// its own variable, because the compiler would keep an array in memory.
[[gnu::noinline]] Lanes multiply_add(std::size_t rounds, Lanes factor, Lanes term) {
  Lanes a = term, b = term, c = term, d = term, e = term;
  Lanes f = term, g = term, h = term, i = term, j = term;
  for (std::size_t r = 0; r < rounds; ++r) {
    a = a * factor + term;
    b = b * factor + term;
    c = c * factor + term;
    d = d * factor + term;
    e = e * factor + term;
    f = f * factor + term;
    g = g * factor + term;
    h = h * factor + term;
    i = i * factor + term;
    j = j * factor + term;
    // The chains are equal; this prevents the compiler from merging them.
    for (Lanes* chain : {&a, &b, &c, &d, &e, &f, &g, &h, &i, &j}) {
      asm volatile("" : CAUCUS_IN_VECTOR_REGISTER(*chain));
    }
  }
  return a + b + c + d + e + f + g + h + i + j;
}

/// Reads four streams at once, because a core's prefetchers follow several.
[[gnu::noinline]] std::uint64_t sum_of(const std::vector<std::uint64_t>& values) {
  const std::size_t quarter = values.size() / 4;
  std::uint64_t sum = 0;
  for (std::size_t k = 0; k < quarter; ++k) {
    sum += values[k] + values[quarter + k] + values[2 * quarter + k] + values[3 * quarter + k];
  }
  return sum;
}

}  // namespace

double peak_gflops() {
  constexpr std::size_t kRounds = 2'000'000;
  constexpr double kOperations = 2.0 * kChains * kLanes * kRounds;
  double best = 0.0;
  for (int attempt = 0; attempt < 20; ++attempt) {
    const std::clock_t start = std::clock();
    const volatile float kept = multiply_add(kRounds, Lanes{} + 0.5F, Lanes{} + 1.0F)[0];
    static_cast<void>(kept);
    best = std::max(best, kOperations / seconds_of(std::clock() - start));
  }
  return best / 1e9;
}

double memory_gigabytes_per_second() {
  const std::vector<std::uint64_t> values(std::size_t{1} << 26, 1);  // 512 MB
  double best = 0.0;
  for (int attempt = 0; attempt < 5; ++attempt) {
    const std::clock_t start = std::clock();
    const volatile std::uint64_t kept = sum_of(values);
    static_cast<void>(kept);
    best = std::max(best, static_cast<double>(values.size() * sizeof values[0]) /
                              seconds_of(std::clock() - start));
  }
  return best / 1e9;
}

}  // namespace caucus::bench
