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

/// Returns the waves of all levels of the first projection, after checking that other projections,
/// fewer levels and products give the same.
std::vector<float> waves_of(const Kernels& k, std::size_t n, const std::vector<float>& projections,
                            std::size_t width) {
  constexpr std::size_t kCount = 19;  // more than one block, and odd
  std::vector<float> all;
  for (std::size_t levels = kOctaves; levels > 0; --levels) {
    std::vector<std::vector<float>> out(kCount * levels, std::vector<float>(2 * n));
    std::vector<double> products(kCount * levels);
    std::vector<Wave> waves(kCount);
    for (std::size_t i = 0; i < kCount; ++i) {
      waves[i].x = projections.data() + i % 7 * width;
      waves[i].factor = 0.3F;
      for (std::size_t level = 0; level < levels; ++level) {
        waves[i].out[level] = out[i * levels + level].data();
        waves[i].model[level] = projections.data() + (i + level) % 3 * width;  // at least 2n floats
        waves[i].product[level] = &products[i * levels + level];
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
    if (2 * n <= kShort) continue;
    const auto before = out;
    k.sincos_products(waves.data(), kCount, levels, 0.5F, n);
    RC_ASSERT(out == before);
    for (std::size_t i = 0; i < kCount; ++i) {
      for (std::size_t level = 0; level < levels; ++level) {
        const Wave& wave = waves[i];
        RC_ASSERT(*wave.product[level] == k.dot(wave.model[level], wave.out[level], 2 * n));
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
  k.add_product(y.data(), 0.7F, a.data(), n);
  keep(y);
  k.scale(y.data(), 1.1F, n);
  keep(y);
  all.push_back(static_cast<float>(k.move_and_measure(y.data(), -0.2F, a.data(), n)));
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
  for (std::size_t j = 0; j < 7; ++j) k.add_product(apart.data(), factors[j], left[j], n);
  RC_ASSERT(together == apart);
  keep(together);

  std::vector<double> squares(terms.size());
  for (std::size_t count = 1; count <= terms.size(); ++count) {
    std::vector<float> plain(n, 0.0F);
    k.add_products(plain.data(), terms.data(), count, n);
    std::vector<float> measured(n, 5.0F);
    const double square =
        k.sum_and_measure(terms.data(), count, n, measured.data(), squares.data());
    RC_ASSERT(measured == plain);
    RC_ASSERT(square == k.dot(plain.data(), plain.data(), n));
  }
  std::vector<double> exact(n, 0.0);
  for (std::size_t j = 0; j < terms.size(); ++j) {
    std::vector<float> product(n, 0.0F);
    k.add_product(product.data(), factors[j], left[j], n);
    RC_ASSERT(squares[j] == k.dot(product.data(), product.data(), n));
    k.add_exact_product(exact.data(), factors[j], left[j], n);
  }
  std::vector<float> mean(n);
  k.sum_exact_products(terms.data(), terms.size(), 0.3, n, mean.data());
  for (std::size_t l = 0; l < n; ++l) RC_ASSERT(mean[l] == static_cast<float>(exact[l] * 0.3));
  keep(mean);
  std::vector<std::vector<float>> moved(terms.size(), y);
  std::vector<Move> moves;
  for (std::size_t j = 0; j < terms.size(); ++j) {
    moves.push_back({moved[j].data(), terms.data(), j + 1, n, -0.4F});
  }
  k.move_by_products(moves.data(), moves.size(), squares.data());
  for (std::size_t j = 0; j < terms.size(); ++j) {
    std::vector<float> gradient(n, 0.0F);
    auto expected = y;
    k.add_products(gradient.data(), terms.data(), j + 1, n);
    RC_ASSERT(squares[j] == k.move_and_measure(expected.data(), -0.4F, gradient.data(), n));
    RC_ASSERT(moved[j] == expected);
    keep(moved[j]);
  }
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

TEST(Kernels, PhiloxIsThatOfEachCounter) {
  for (const Kernels* each : runnable()) {
    std::array<std::uint32_t, 32> second{};
    std::array<std::uint32_t, 32> third{};
    for (std::uint32_t c = 0; c < 32; ++c) {
      second[c] = 0xFFFFFFF8U + c % 11;
      third[c] = 11 + c / 11;
    }
    std::array<std::uint32_t, 128> words{};
    each->philox({{123, 0x9ABCDEF0U}, 7, 0x01000003U, second.data(), third.data(), 32},
                 words.data());
    for (std::uint32_t c = 0; c < 32; ++c) {
      const auto expected =
          caucus::philox({7, second[c], third[c], 0x01000003U}, {123, 0x9ABCDEF0U});
      for (std::uint32_t w = 0; w < 4; ++w) EXPECT_EQ(words[32 * w + c], expected[w]) << each->name;
    }
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
