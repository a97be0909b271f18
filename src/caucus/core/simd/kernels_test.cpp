#include "caucus/core/simd/kernels.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "caucus/ball.hpp"
#include "caucus/core/base/random.hpp"

namespace caucus::simd {
namespace {

/// Returns the waves of all levels of the first projection, after checking that other projections
/// and fewer levels give the same.
std::vector<float> waves_of(const Kernels& k, std::size_t n, const std::vector<float>& projections,
                            std::size_t width) {
  constexpr std::size_t kCount = 19;  // more than one block, and odd
  std::vector<float> all;
  for (std::size_t levels = kOctaves; levels > 0; --levels) {
    std::vector<std::vector<float>> out(kCount * levels, std::vector<float>(2 * n));
    std::vector<Wave> waves(kCount);
    for (std::size_t i = 0; i < kCount; ++i) {
      waves[i].x = projections.data() + i % 7 * width;
      waves[i].factor = 0.3F;
      for (std::size_t level = 0; level < levels; ++level) {
        waves[i].out[level] = out[i * levels + level].data();
      }
    }
    k.sincos(waves.data(), kCount, levels, 0.5F, n);
    if (all.empty()) {
      for (std::size_t level = 0; level < levels; ++level) {
        all.insert(all.end(), out[level].begin(), out[level].end());
      }
    }
    for (std::size_t i = 0; i < kCount; ++i) {
      for (std::size_t level = 0; level < levels; ++level) {
        const auto& mine = out[i * levels + level];
        RC_ASSERT(mine == out[i % 7 * levels + level]);
        if (i % 7 > 0) continue;
        const auto first = all.begin() + static_cast<std::ptrdiff_t>(level * 2 * n);
        RC_ASSERT(std::equal(mine.begin(), mine.end(), first));
      }
    }
  }
  return all;
}

/// All results of a variant for the same input, one after another.
std::vector<float> everything(const Kernels& k, std::size_t n, std::uint64_t seed) {
  Stream stream({.seed = seed});
  const auto normals = [&](std::size_t size) {
    std::vector<float> values(size);
    for (float& value : values) value = static_cast<float>(stream.normal());
    return values;
  };
  const auto a = normals(n);
  const auto b = normals(n);
  std::vector<float> all = {static_cast<float>(k.dot(a.data(), b.data(), n))};
  const auto keep = [&](const auto& values) {
    all.insert(all.end(), values.begin(), values.end());
  };
  auto y = b;
  k.add_scaled(y.data(), 0.3F, a.data(), n);
  keep(y);
  const Term product{a.data(), 0.7F};
  k.add_products(y.data(), &product, 1, n);
  keep(y);
  k.scale(y.data(), 1.1F, n);
  keep(y);
  const std::size_t width = padded(n + 1);
  const auto base = normals(5 * width);
  const auto x = normals(5 * 7);
  std::array<const float*, 7> rows{};
  for (std::size_t r = 0; r < rows.size(); ++r) rows[r] = x.data() + 5 * r;
  std::vector<float> projections(rows.size() * width);
  k.project(base.data(), 5, width, n + 1, rows.data(), rows.size(), projections.data());
  for (std::size_t r = 0; r < rows.size(); ++r) {  // the padding may differ between variants
    keep(std::span(projections).subspan(r * width, n + 1));
  }
  keep(waves_of(k, n, projections, width));
  std::vector<const float*> left;
  std::vector<const float*> right;
  std::vector<float> factors;
  for (std::size_t j = 0; j < 7; ++j) {
    left.push_back(projections.data() + j * width);
    right.push_back(projections.data() + (6 - j) * width);
    factors.push_back(static_cast<float>(stream.normal()));
  }
  std::vector<double> products(7);
  k.dots(left.data(), right.data(), n, 7, products.data());
  for (std::size_t j = 0; j < 7; ++j) {
    RC_ASSERT(products[j] == k.dot(left[j], right[j], n));
    all.push_back(static_cast<float>(products[j]));
  }
  std::vector<Term> terms;
  for (std::size_t j = 0; j < 7; ++j) terms.push_back({left[j], factors[j]});
  std::vector<float> together = b;
  auto apart = b;
  k.add_products(together.data(), terms.data(), terms.size(), n);
  for (std::size_t j = 0; j < 7; ++j) k.add_products(apart.data(), &terms[j], 1, n);
  RC_ASSERT(together == apart);
  keep(together);

  auto measured = b;
  for (const Term& term : terms) {
    std::vector<float> alone(n, 0.0F);
    k.add_products(alone.data(), &term, 1, n);
    const double square = k.add_and_measure(measured.data(), term, n);
    RC_ASSERT(square == k.dot(alone.data(), alone.data(), n));
    all.push_back(static_cast<float>(square));
  }
  RC_ASSERT(measured == together);
  return all;
}

RC_GTEST_PROP(Kernels, VariantsAgree, ()) {
  const auto n = *rc::gen::inRange<std::size_t>(1, 130);
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto portable = everything(kPortable, n, seed);
  std::vector<std::vector<float>> fused;
  for (const Kernels* each : runnable()) {
    const auto values = everything(*each, n, seed);
    for (std::size_t k = 0; k < values.size(); ++k) {
      RC_ASSERT(std::abs(values[k] - portable[k]) <= 1e-4F * (1.0F + std::abs(portable[k])));
    }
    if (each != &kPortable) fused.push_back(values);
  }
  for (const auto& values : fused) RC_ASSERT(values == fused.front());  // to the bit
}

TEST(Kernels, ExponentialsAreThoseOfTheLibrary) {
  for (const Kernels* each : runnable()) {
    for (std::size_t n = 1; n < 30; ++n) {
      Stream stream({.seed = n});
      std::vector<double> x(n);
      std::vector<double> out(n);
      for (double& value : x) value = 3.0 - 800.0 * std::pow(stream.uniform(), 3.0);
      const double sum = each->exponentials(x.data(), 2.5, n, out.data());
      double expected_sum = 0.0;
      for (std::size_t k = 0; k < n; ++k) {
        const double expected = x[k] - 2.5 < -708.0 ? 0.0 : std::exp(x[k] - 2.5);
        expected_sum += expected;
        EXPECT_NEAR(out[k], expected, 5e-16 * expected) << each->name << " " << x[k];
      }
      EXPECT_NEAR(sum, expected_sum, 1e-14 * expected_sum);
    }
    const double infinity = std::numeric_limits<double>::infinity();
    const std::array<double, 9> special = {-infinity, -1e300, 0.0,  -0.0, -707.9,
                                           -708.1,    1.0,    -1.0, 40.0};
    std::array<double, 9> out{};
    each->exponentials(special.data(), 0.0, special.size(), out.data());
    EXPECT_EQ(out[0], 0.0);
    EXPECT_EQ(out[1], 0.0);
    EXPECT_EQ(out[2], 1.0);
    EXPECT_EQ(out[3], 1.0);
    EXPECT_GT(out[4], 0.0);
    EXPECT_EQ(out[5], 0.0);
    EXPECT_NEAR(out[8], std::exp(40.0), 1e-15 * std::exp(40.0));
  }
}

TEST(Kernels, AreChosenByName) {
  for (const Kernels* each : runnable()) {
    ASSERT_TRUE(select(each->name).ok());
    EXPECT_STREQ(kernels().name, each->name);
  }
  ASSERT_TRUE(select("auto").ok());
  EXPECT_EQ(&kernels(), runnable().back());
  const Status unknown = select("mmx");
  ASSERT_FALSE(unknown.ok());
  EXPECT_NE(unknown.error().expected.find("portable"), std::string::npos);
  EXPECT_EQ(&kernels(), runnable().back());
}

}  // namespace
}  // namespace caucus::simd
