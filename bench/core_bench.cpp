// Measures the kernels of core with Google Benchmark. Each is compared in the same run with a bound
// measured on this CPU core (counter bound_ns: its multiply-adds at peak, or its bytes at the speed
// of memory) or with the usual implementation (counter reference_ns); the label says which.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <random>
#include <string>
#include <vector>

#include "caucus/core/base/aligned.hpp"
#include "caucus/core/base/random.hpp"
#include "caucus/core/base/vector.hpp"
#include "caucus/core/mirror/simplex.hpp"
#include "caucus/core/sampling/sampling.hpp"
#include "program.hpp"
#include "roofline.hpp"

namespace caucus::bench {
namespace {

AlignedVector<float> numbers(std::size_t count) {
  AlignedVector<float> values(count);
  Stream stream({1, Purpose::test, 0, 0, 0});
  for (float& value : values) value = static_cast<float>(2.0 * stream.uniform() - 1.0);
  return values;
}

double peak() {
  static const double kPeak = peak_gflops();
  return kPeak;
}

/// The time of float operations at peak (a multiply-add is two).
void compare_with_peak(benchmark::State& state, double operations) {
  state.counters["bound_ns"] = operations / peak();
  state.SetLabel("multiply-adds at peak");
}

/// The time of reading bytes from memory, not from a cache.
void compare_with_memory(benchmark::State& state, double bytes) {
  static const double kSpeed = memory_gigabytes_per_second();
  state.counters["bound_ns"] = bytes / kSpeed;
  state.SetLabel("memory");
}

/// The best time of the usual implementation, per call.
template <class Call>
void compare_with(benchmark::State& state, const std::string& name, const Call& call) {
  constexpr int kCalls = 2000;
  double best = HUGE_VAL;
  for (int attempt = 0; attempt < 50; ++attempt) {
    const std::clock_t start = std::clock();
    for (int i = 0; i < kCalls; ++i) call();
    best = std::min(best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC / kCalls);
  }
  state.counters["reference_ns"] = 1e9 * best;
  state.SetLabel(name);
}

void bm_dot(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const auto a = numbers(n);
  const auto b = numbers(n);
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(dot(a, b));
  if (n > 1'000'000) {
    compare_with_memory(state, 2.0 * sizeof(float) * static_cast<double>(n));
  } else {
    compare_with_peak(state, 2.0 * static_cast<double>(n));
  }
}
BENCHMARK(bm_dot)->Name("dot")->ArgName("n")->Arg(18)->Arg(200)->Arg(1 << 25);

void bm_add_scaled(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const auto x = numbers(n);
  auto y = numbers(n);
  for ([[maybe_unused]] auto _ : state) {
    add_scaled(y, 1e-9F, x);
    benchmark::ClobberMemory();
  }
  compare_with_peak(state, 2.0 * static_cast<double>(n));
}
BENCHMARK(bm_add_scaled)->Name("add_scaled")->ArgName("n")->Arg(18)->Arg(200);

void bm_project(benchmark::State& state) {
  constexpr std::size_t kFrequencies = 100;
  constexpr std::size_t kWidth = simd::padded(kFrequencies);
  const auto d = static_cast<std::size_t>(state.range(0));
  const auto count = static_cast<std::size_t>(state.range(1));
  const auto base = numbers(d * kWidth);
  const auto x = numbers(d * count);
  std::vector<const float*> rows;
  for (std::size_t r = 0; r < count; ++r) rows.push_back(x.data() + r * d);
  AlignedVector<float> out(count * kWidth);
  for ([[maybe_unused]] auto _ : state) {
    project(base, d, kWidth, kFrequencies, rows, out);
    benchmark::ClobberMemory();
  }
  compare_with_peak(state, 2.0 * static_cast<double>(kFrequencies * d * count));
}
BENCHMARK(bm_project)
    ->Name("project D=100")
    ->ArgNames({"d", "rows"})
    ->ArgsProduct({{8, 18, 96, 384}, {1, 10, 40}});

void bm_sincos(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const auto angles = numbers(n);
  AlignedVector<float> out(2 * n);
  const simd::Wave wave{angles.data(), 2.0F, {out.data()}};
  for ([[maybe_unused]] auto _ : state) {
    scaled_sincos({&wave, 1}, 1, 0.1F, n);
    benchmark::ClobberMemory();
  }
  // Reduction, two polynomials and the amplitude: 14 multiply-adds a pair.
  compare_with_peak(state, 2.0 * 14.0 * static_cast<double>(n));
}
BENCHMARK(bm_sincos)->Name("scaled_sincos")->ArgName("n")->Arg(100);

void bm_sincos_libm(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const auto angles = numbers(n);
  AlignedVector<float> out(2 * n);
  const simd::Wave wave{angles.data(), 2.0F, {out.data()}};
  for ([[maybe_unused]] auto _ : state) {
    scaled_sincos({&wave, 1}, 1, 0.1F, n);
    benchmark::ClobberMemory();
  }
  compare_with(state, "std::cos and std::sin", [&] {
    for (std::size_t k = 0; k < n; ++k) {
      out[k] = 0.1F * std::cos(2.0F * angles[k]);
      out[n + k] = 0.1F * std::sin(2.0F * angles[k]);
    }
    benchmark::ClobberMemory();
  });
}
BENCHMARK(bm_sincos_libm)->Name("scaled_sincos")->ArgName("n")->Arg(100);

void bm_simplex(benchmark::State& state) {
  const auto K = static_cast<std::size_t>(state.range(0));
  const bool equal = state.range(1) == 0;
  std::vector<double> bounds(K, 3.0);
  if (!equal) {
    for (std::size_t i = 0; i < K; ++i) bounds[i] += static_cast<double>(i % 7);
  }
  const WeightedEntropy entropy(bounds);
  std::vector<double> losses(K, 0.0);
  Simplex p = Simplex::uniform(K);
  std::size_t held = 0;
  // Different models are sampled in turn, with losses of one size, so that p stays mixed.
  const std::size_t count = std::min<std::size_t>(8, K / 2);
  const auto set_losses = [&](double value) {
    std::fill_n(losses.begin() + static_cast<std::ptrdiff_t>(held), count, value);
  };
  for ([[maybe_unused]] auto _ : state) {
    set_losses(0.0);
    held = held + 2 * count <= K ? held + count : 0;
    set_losses(0.3);
    entropy.descend(p, losses, 0.1);
    benchmark::ClobberMemory();
  }
  std::vector<double> q(K, -1.0);
  compare_with(state, "K exponentials of libm", [&] {
    for (double& value : q) benchmark::DoNotOptimize(std::exp(value));
  });
}
BENCHMARK(bm_simplex)
    ->Name("simplex step")
    ->ArgNames({"K", "unequal C"})
    ->Args({8, 0})
    ->Args({8, 1})
    ->Args({1000, 0})
    ->Args({1000, 1});

void bm_sampler(benchmark::State& state) {
  const auto K = static_cast<std::size_t>(state.range(0));
  const Simplex p = Simplex::uniform(K);
  ModelSampler sampler(K, 2);
  std::uint32_t client = 0;
  for ([[maybe_unused]] auto _ : state) {
    const Stream stream({1, Purpose::sampling, 0, 1, ++client});
    const auto drawn = sampler.draw(p, stream);
    benchmark::DoNotOptimize(drawn.data());
  }
  std::mt19937_64 random(1);
  const auto chances = p.probabilities();
  std::discrete_distribution<std::uint32_t> first(chances.begin(), chances.end());
  compare_with(state, "one draw of std::discrete_distribution",
               [&] { benchmark::DoNotOptimize(first(random)); });
}
BENCHMARK(bm_sampler)->Name("sampler J=2")->ArgName("K")->Arg(8)->Arg(1000)->Arg(100'000);

void bm_philox(benchmark::State& state) {
  std::array<std::uint32_t, 4> counter = {};
  for ([[maybe_unused]] auto _ : state) {
    ++counter[0];
    benchmark::DoNotOptimize(philox(counter, {1, 2}));
  }
  std::mt19937_64 random(1);
  compare_with(state, "128 bits of std::mt19937_64", [&] {
    benchmark::DoNotOptimize(random());
    benchmark::DoNotOptimize(random());
  });
}
BENCHMARK(bm_philox)->Name("philox, 128 bits");

}  // namespace
}  // namespace caucus::bench

int main(int count, char** words) {
  benchmark::Initialize(&count, words);
  caucus::bench::choose_simd_variant();
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
