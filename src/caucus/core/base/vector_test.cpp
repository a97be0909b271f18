#include "caucus/core/base/vector.hpp"
#include "caucus/core/base/test_numbers.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "caucus/core/base/random.hpp"

namespace caucus {
namespace {

/// Runs a check with each variant of the kernels that this machine has.
template <class Check>
void with_every_variant(Check check) {
  for (const simd::Kernels* each : simd::runnable()) {
    SCOPED_TRACE(each->name);
    ASSERT_TRUE(simd::select(each->name).ok());
    check();
  }
  ASSERT_TRUE(simd::select("auto").ok());
}

constexpr float kInfinite = std::numeric_limits<float>::infinity();

Stream any_stream() { return Stream({.seed = *rc::gen::arbitrary<std::uint64_t>()}); }

RC_GTEST_PROP(Vector, DotAgreesWithLongDouble, ()) {
  Stream stream = any_stream();
  const auto n = *rc::gen::inRange<std::size_t>(0, 500);
  const auto a = normals(n, stream);
  const auto b = normals(n, stream);
  Exact expected = 0;
  Exact size = 0;
  for (std::size_t k = 0; k < n; ++k) {
    expected += Exact(a[k]) * Exact(b[k]);
    size += std::abs(Exact(a[k]) * Exact(b[k]));
  }
  // A product is rounded, and so is every sum that contains it: all sums of a short vector, those
  // of one lane of a long one.
  const auto roundings = static_cast<Exact>(n <= simd::kShort ? n + 1 : n / 16 + 2);
  const Exact bound = roundings * 0x1p-24L / (1 - roundings * 0x1p-24L) * size;
  with_every_variant([&] {
    RC_ASSERT(std::abs(Exact(dot(a, b)) - expected) <= bound);
    RC_ASSERT(squared_norm(a) == dot(a, a));
  });
}

RC_GTEST_PROP(Vector, DotSumsShortVectorsInOrder, ()) {
  Stream stream = any_stream();
  const auto n = *rc::gen::inRange<std::size_t>(0, 65);
  const auto a = normals(n, stream);
  float sum = 0.0F;
  for (const float value : a) sum += value;
  with_every_variant(
      [&] { RC_ASSERT(dot(a, std::vector<float>(n, 1.0F)) == static_cast<double>(sum)); });
}

RC_GTEST_PROP(Vector, DotSumsSixteenLanesInAFixedOrder, ()) {
  Stream stream = any_stream();
  const auto n = *rc::gen::inRange<std::size_t>(65, 300);
  const auto a = normals(n, stream);
  std::array<float, 16> lanes{};
  for (std::size_t k = 0; k < n; ++k) lanes[k % 16] += a[k];
  std::vector<double> sums(lanes.begin(), lanes.end());
  while (sums.size() > 1) {
    const std::size_t half = sums.size() / 2;
    for (std::size_t l = 0; l < half; ++l) sums[l] += sums[l + half];
    sums.resize(half);
  }
  // Products with 1 are exact, so that only the order of the additions can differ.
  with_every_variant([&] { RC_ASSERT(dot(a, std::vector<float>(n, 1.0F)) == sums.front()); });
}

RC_GTEST_PROP(Vector, AddingAndScalingRoundEachElementOnceOrTwice, ()) {
  Stream stream = any_stream();
  const auto n = *rc::gen::inRange<std::size_t>(0, 300);
  const auto x = normals(n, stream);
  const auto y = normals(n, stream);
  const auto factor = static_cast<float>(stream.normal());
  with_every_variant([&] {
    auto sum = y;
    add(sum, x);
    auto with_product = y;
    add_product(with_product, factor, x);
    std::vector<double> exact(y.begin(), y.end());
    add_exact_product(exact, factor, x);
    auto scaled = y;
    scale(scaled, factor);
    auto moved = y;
    add_scaled(moved, factor, x);
    const std::vector<simd::Term> terms = {{x.data(), factor}, {y.data(), 0.25F}};
    std::vector<float> products(n, 0.0F);
    add_products(products, terms);
    std::vector<float> measured(n, 5.0F);
    std::array<double, 2> squares{};
    RC_ASSERT(sum_and_measure(terms, measured, squares) == squared_norm(products));
    RC_ASSERT(measured == products);
    std::vector<float> mean(n);
    sum_exact_products(terms, 0.3, mean);
    for (std::size_t k = 0; k < n; ++k) {
      const auto dx = static_cast<double>(x[k]);
      const auto dy = static_cast<double>(y[k]);
      const auto df = static_cast<double>(factor);
      RC_ASSERT(sum[k] == static_cast<float>(dy + dx));
      RC_ASSERT(scaled[k] == static_cast<float>(df * dy));
      const auto product = static_cast<float>(df * dx);
      RC_ASSERT(with_product[k] == y[k] + product);
      RC_ASSERT(exact[k] == dy + df * dx);
      RC_ASSERT(mean[k] == static_cast<float>((df * dx + 0.25 * dy) * 0.3));
      const double error = std::abs(static_cast<double>(moved[k]) - (df * dx + dy));
      RC_ASSERT(error <= 0x1p-23 * (std::abs(df * dx) + std::abs(dy)));
    }
  });
}

RC_GTEST_PROP(Vector, ProjectAgreesWithLongDouble, ()) {
  Stream stream = any_stream();
  const auto inputs = *rc::gen::inRange<std::size_t>(1, 40);
  const auto width = 16 * *rc::gen::inRange<std::size_t>(1, 10);
  const auto rows = *rc::gen::inRange<std::size_t>(0, 13);
  const auto base = normals(inputs * width, stream);
  const auto x = normals(inputs * rows, stream);
  std::vector<const float*> examples;
  for (std::size_t r = 0; r < rows; ++r) examples.push_back(x.data() + r * inputs);
  with_every_variant([&] {
    std::vector<float> out(rows * width, 99.0F);  // the old content must not matter
    const float largest = project(base, inputs, width, width, examples, out);
    RC_ASSERT(largest == magnitude(out));
    for (std::size_t r = 0; r < rows; ++r) {
      std::vector<float> alone(width);
      project(base, inputs, width, width, std::array{examples[r]}, alone);
      for (std::size_t k = 0; k < width; ++k) {
        RC_ASSERT(out[r * width + k] == alone[k]);  // the same bits as together with other rows
        Exact expected = 0;
        Exact size = 0;
        for (std::size_t l = 0; l < inputs; ++l) {
          const float column = base[simd::place_in_base(inputs, l, k)];
          const Exact term = Exact(x[r * inputs + l]) * Exact(column);
          expected += term;
          size += std::abs(term);
        }
        const Exact bound = static_cast<Exact>(inputs + 1) * 0x1p-24L * size;
        RC_ASSERT(std::abs(Exact(alone[k]) - expected) <= bound);
      }
    }
  });
}

/// Sums one after another, in order.
float plain_projection(std::span<const float> base, std::size_t inputs, std::size_t k,
                       const float* x) {
  const bool fused = std::string_view(simd::kernels().name) != "portable";
  float sum = 0.0F;
  for (std::size_t l = 0; l < inputs; ++l) {
    const float column = base[simd::place_in_base(inputs, l, k)];
    sum = fused ? std::fma(x[l], column, sum) : x[l] * column + sum;
  }
  return sum;
}

TEST(Vector, ProjectOfAnyShapeHasTheBitsOfAPlainLoop) {
  constexpr std::size_t kMostRows = 13;
  constexpr std::array<std::size_t, 5> kInputs = {0, 1, 2, 17, 384};
  constexpr std::array<std::size_t, 15> kColumns = {1,  4,  5,  8,   9,   16,  20, 23,
                                                    33, 68, 97, 100, 101, 112, 244};
  Stream stream({.seed = 5});
  for (const std::size_t inputs : kInputs) {
    const auto x = normals(inputs * kMostRows, stream);
    std::vector<const float*> examples;
    for (std::size_t r = 0; r < kMostRows; ++r) examples.push_back(x.data() + r * inputs);
    for (const std::size_t columns : kColumns) {
      const std::size_t width = simd::padded(columns);
      const auto base = normals(inputs * width, stream);
      with_every_variant([&] {
        for (std::size_t rows = 1; rows <= kMostRows; ++rows) {
          std::vector<float> out(rows * width, 0.0F);
          const float largest =
              project(base, inputs, width, columns, std::span(examples).first(rows), out);
          ASSERT_EQ(largest, magnitude(out));
          for (std::size_t r = 0; r < rows; ++r) {
            for (std::size_t k = 0; k < columns; ++k) {
              ASSERT_EQ(out[r * width + k], plain_projection(base, inputs, k, examples[r]))
                  << inputs << " inputs, column " << k << " of " << columns << ", row " << r
                  << " of " << rows;
            }
          }
        }
      });
    }
  }
}

/// Cosines and sines of pi * factor * x, and at every level of twice that below.
struct Waves {
  std::vector<float> cosine, sine;
};
using Levels = std::array<Waves, simd::kOctaves>;
Levels waves_of(std::span<const float> x, float factor, float amplitude) {
  const std::size_t n = x.size();
  std::array<std::vector<float>, simd::kOctaves> out;
  simd::Wave wave{x.data(), factor, {}};
  for (std::size_t w = 0; w < out.size(); ++w) {
    out[w].resize(2 * n);
    wave.out[w] = out[w].data();
  }
  scaled_sincos({&wave, 1}, out.size(), amplitude, n);
  Levels waves;
  for (std::size_t w = 0; w < waves.size(); ++w) {
    for (std::size_t k = 0; k < n; k += 16) {  // sixteen cosines, their sines, and so on
      const auto block = static_cast<std::ptrdiff_t>(std::min<std::size_t>(16, n - k));
      const auto first = out[w].begin() + static_cast<std::ptrdiff_t>(2 * k);
      waves[w].cosine.insert(waves[w].cosine.end(), first, first + block);
      waves[w].sine.insert(waves[w].sine.end(), first + block, first + 2 * block);
    }
  }
  return waves;
}

/// The largest error of scaled_sincos at one level over the phases, as a part of the amplitude, in
/// any variant.
double worst_error(const std::vector<float>& phases, float factor, float amplitude,
                   std::size_t level = 0) {
  double worst = 0.0;
  with_every_variant([&] {
    const auto [cosine, sine] = waves_of(phases, factor, amplitude)[level];
    for (std::size_t k = 0; k < phases.size(); ++k) {
      // Without fused multiply-adds the phase is a float.
      const bool fused = std::string_view(simd::kernels().name) != "portable";
      const Exact u = fused ? Exact(phases[k]) * Exact(factor) : Exact(phases[k] * factor);
      const Exact turns = std::ldexp(u, static_cast<int>(level));
      const Exact angle = std::numbers::pi_v<Exact> * std::remainder(turns, Exact(2));
      const auto a = static_cast<Exact>(amplitude);
      worst =
          std::max({worst, static_cast<double>(std::abs(Exact(cosine[k]) / a - std::cos(angle))),
                    static_cast<double>(std::abs(Exact(sine[k]) / a - std::sin(angle)))});
    }
  });
  return worst;
}

/// Numbers of both signs whose logarithms are uniform between those of low and high.
std::vector<float> sizes_between(double low, double high, std::size_t count) {
  Stream stream({.seed = 5});
  std::vector<float> phases;
  for (std::size_t i = 0; i < count; ++i) {
    const double size = low * std::pow(high / low, stream.uniform());
    phases.push_back(static_cast<float>(stream.below(2) == 0 ? size : -size));
  }
  return phases;
}

TEST(ScaledSincos, KeepsItsPromiseForTinyModerateAndLargePhases) {
  EXPECT_LT(worst_error(sizes_between(1e-38, 1.0, 20000), 1.0F, 1.0F), 8e-7);
  EXPECT_LT(worst_error(sizes_between(0.1, 2000.0, 200000), 1.0F, 1.0F), 8e-7);
  EXPECT_LT(worst_error(sizes_between(1.0, 1000.0, 50000), 0.37F, 0.1F), 8e-7);
  EXPECT_LT(worst_error(sizes_between(1e3, 4194303.0, 100000), 1.0F, 1.0F), 8e-7);
}

TEST(ScaledSincos, KeepsItsPromiseNearEveryEighthOfATurn) {
  std::vector<float> phases;
  for (int j = -10430; j <= 10430; ++j) {
    const float u = static_cast<float>(j) / 4.0F;
    phases.insert(phases.end(), {std::nextafter(u, -kInfinite), u, std::nextafter(u, kInfinite)});
  }
  EXPECT_LT(worst_error(phases, 1.0F, 1.0F), 8e-7);
}

TEST(ScaledSincos, DoubledAnglesKeepTheirs) {
  const std::array promise = {8e-7, 2e-6, 4e-6, 8e-6};
  static_assert(promise.size() == simd::kOctaves);
  for (std::size_t level = 1; level < promise.size(); ++level) {
    SCOPED_TRACE(level);
    const double most = promise[level];
    EXPECT_LT(worst_error(sizes_between(1e-38, 1.0, 20000), 1.0F, 1.0F, level), most);
    EXPECT_LT(worst_error(sizes_between(0.1, 2000.0, 200000), 1.0F, 1.0F, level), most);
    EXPECT_LT(worst_error(sizes_between(1.0, 1000.0, 50000), 0.37F, 0.1F, level), most);
    EXPECT_LT(worst_error(sizes_between(1e3, 2097151.0, 100000), 1.0F, 1.0F, level), most);
  }
}

TEST(ScaledSincos, WholeTurnsAreExact) {
  with_every_variant([] {
    const std::array phases = {0.0F, 2.0F, -4.0F, 1.0F, -3.0F, 4194302.0F};
    const std::vector expected = {0.5F, 0.5F, 0.5F, -0.5F, -0.5F, 0.5F};
    const auto [cosine, sine] = waves_of(phases, 1.0F, 0.5F)[0];
    EXPECT_EQ(cosine, expected);
    for (const float value : sine) EXPECT_EQ(value, 0.0F);
  });
}

TEST(Magnitude, IsTheLargestSizeOrNaN) {
  with_every_variant([] {
    for (std::size_t n = 1; n <= 40; ++n) {
      std::vector<float> x(n, -0.5F);
      x[n / 2] = -3.0F;
      x[n / 3] = n / 3 == n / 2 ? -3.0F : 2.0F;
      EXPECT_EQ(magnitude(x), 3.0F) << n;
      x[n - 1] = -kInfinite;
      EXPECT_EQ(magnitude(x), kInfinite) << n;
      x[0] = std::numeric_limits<float>::quiet_NaN();
      EXPECT_TRUE(std::isnan(magnitude(x))) << n;
    }
  });
}

TEST(ScaledSincos, AnElementDoesNotDependOnItsNeighbours) {
  for (std::size_t n = 1; n <= 67; ++n) {
    const auto phases = sizes_between(1e-3, 4e6, n);
    with_every_variant([&] {
      const auto all = waves_of(phases, 0.9F, 0.1F);
      for (std::size_t k = 0; k < n; ++k) {
        const auto lone = waves_of({&phases[k], 1}, 0.9F, 0.1F);
        for (std::size_t w = 0; w < all.size(); ++w) {
          ASSERT_EQ(all[w].cosine[k], lone[w].cosine[0]) << n << " " << k;
          ASSERT_EQ(all[w].sine[k], lone[w].sine[0]) << n << " " << k;
        }
      }
    });
  }
}

}  // namespace
}  // namespace caucus
