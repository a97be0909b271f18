#include "caucus/core/base/random.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <set>
#include <vector>

namespace caucus {
namespace {

using testing::ElementsAre;

constexpr int kNumbers = 40000;

/// The Kolmogorov-Smirnov distance to a distribution, times sqrt(n); above 1.95 once in 1000.
double distance_to(const std::function<double(double)>& distribution, std::vector<double> draws) {
  std::sort(draws.begin(), draws.end());
  const auto n = static_cast<double>(draws.size());
  double distance = 0.0;
  for (std::size_t i = 0; i < draws.size(); ++i) {
    const double F = distribution(draws[i]);
    distance =
        std::max({distance, F - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - F});
  }
  return distance * std::sqrt(n);
}

std::vector<double> draws_of(const std::function<double(Stream&)>& draw, std::uint64_t seed) {
  Stream stream({.seed = seed});
  std::vector<double> draws(kNumbers);
  for (double& value : draws) value = draw(stream);
  return draws;
}

/// sum (observed - expected)^2 / expected over cells of equal probability.
double chi_square(const std::vector<int>& counts, int draws) {
  const double expected = static_cast<double>(draws) / static_cast<double>(counts.size());
  double sum = 0.0;
  for (const int count : counts) sum += (count - expected) * (count - expected) / expected;
  return sum;
}

/// A limit that is exceeded about once in 30000: mean + 4 standard deviations, plus the skewness.
double chi_square_limit(std::size_t cells) {
  const double freedom = static_cast<double>(cells) - 1.0;
  return freedom + 4.0 * std::sqrt(2.0 * freedom) + 9.0;
}

TEST(Philox, GivesTheKnownAnswersOfRandom123) {
  EXPECT_THAT(philox({0, 0, 0, 0}, {0, 0}),
              ElementsAre(0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u));
  EXPECT_THAT(philox({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}),
              ElementsAre(0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu));
  EXPECT_THAT(
      philox({0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u}, {0xa4093822u, 0x299f31d0u}),
      ElementsAre(0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u));
}

TEST(Stream, ItsBitsArePhiloxOfTheKeyForGood) {
  Stream stream({0x0123456789abcdefULL, Purpose::features, 5, 77, 9});
  for (std::uint32_t block = 0; block < 3; ++block) {
    const auto expected = philox({block, 9, 77, (2u << 24) | 5u}, {0x89abcdefu, 0x01234567u});
    for (const std::uint32_t word : expected) EXPECT_EQ(stream.bits(), word);
  }
}

TEST(Stream, EveryFieldOfTheKeyNamesAnotherStream) {
  const StreamKey key{1, Purpose::sampling, 2, 3, 4};
  std::vector<StreamKey> keys(1, key);
  for (int bit = 0; bit < 64; ++bit) {
    keys.push_back(key);
    keys.back().seed ^= 1ULL << bit;
  }
  for (int bit = 0; bit < 32; ++bit) {
    keys.push_back(key);
    keys.back().round ^= 1u << bit;
    keys.push_back(key);
    keys.back().client ^= 1u << bit;
    keys.push_back(key);
    if (bit < 24) keys.back().repetition ^= 1u << bit;
    if (bit >= 24) keys.pop_back();
  }
  for (std::uint32_t purpose = 2; purpose <= 8; ++purpose) {
    keys.push_back(key);
    keys.back().purpose = static_cast<Purpose>(purpose);
  }
  std::set<std::uint64_t> first;
  for (const StreamKey& k : keys) first.insert(Stream(k).bits64());
  EXPECT_EQ(first.size(), keys.size());
}

TEST(Stream, TheSameKeyGivesTheSameNumbers) {
  Stream a({.seed = 7});
  Stream b({.seed = 7});
  for (int i = 0; i < 100; ++i) EXPECT_EQ(a.bits64(), b.bits64());
}

TEST(Stream, UniformIsUniform) {
  const auto uniform = [](double x) { return x; };
  const auto draws = draws_of([](Stream& s) { return s.uniform(); }, 1);
  EXPECT_LT(distance_to(uniform, draws), 1.95);
  EXPECT_GE(*std::min_element(draws.begin(), draws.end()), 0.0);
  EXPECT_LT(*std::max_element(draws.begin(), draws.end()), 1.0);
  EXPECT_LT(distance_to(uniform, draws_of([](Stream& s) { return s.uniform_open(); }, 2)), 1.95);
}

TEST(Stream, TheFirstDrawsOfNeighbouringClientsAreUniform) {
  std::vector<double> draws;
  for (std::uint32_t client = 0; client < kNumbers; ++client) {
    draws.push_back(Stream({.seed = 3, .client = client}).uniform());
  }
  EXPECT_LT(distance_to([](double x) { return x; }, draws), 1.95);
}

TEST(Stream, NormalIsNormal) {
  const auto draws = draws_of([](Stream& s) { return s.normal(); }, 4);
  const auto phi = [](double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); };
  EXPECT_LT(distance_to(phi, draws), 1.95);
  double moments[5] = {};
  for (const double x : draws) {
    for (int k = 1; k < 5; ++k) moments[k] += std::pow(x, k) / kNumbers;
  }
  const double deviation = 1.0 / std::sqrt(static_cast<double>(kNumbers));
  EXPECT_NEAR(moments[1], 0.0, 4.0 * deviation);
  EXPECT_NEAR(moments[2], 1.0, 4.0 * std::sqrt(2.0) * deviation);
  EXPECT_NEAR(moments[3], 0.0, 4.0 * std::sqrt(15.0) * deviation);
  EXPECT_NEAR(moments[4], 3.0, 4.0 * std::sqrt(96.0) * deviation);
}

TEST(Stream, SuccessiveNormalsAreUncorrelated) {
  const auto draws = draws_of([](Stream& s) { return s.normal(); }, 5);
  double product = 0.0;
  for (std::size_t i = 1; i < draws.size(); ++i) product += draws[i - 1] * draws[i] / kNumbers;
  EXPECT_NEAR(product, 0.0, 4.0 / std::sqrt(static_cast<double>(kNumbers)));
}

TEST(Stream, CauchyIsCauchy) {
  const auto distribution = [](double x) { return 0.5 + std::atan(x) / std::numbers::pi; };
  EXPECT_LT(distance_to(distribution, draws_of([](Stream& s) { return s.cauchy(); }, 6)), 1.95);
}

TEST(Stream, LaplaceIsLaplace) {
  const auto distribution = [](double x) {
    return x < 0.0 ? 0.5 * std::exp(x) : 1.0 - 0.5 * std::exp(-x);
  };
  EXPECT_LT(distance_to(distribution, draws_of([](Stream& s) { return s.laplace(); }, 7)), 1.95);
}

TEST(Stream, GammaVariatesHaveTheGammaDistribution) {
  // Shapes 1/2, 1, 2 and 5, whose distributions have closed forms.
  const std::pair<double, std::function<double(double)>> cases[] = {
      {0.5, [](double x) { return std::erf(std::sqrt(x)); }},
      {1.0, [](double x) { return -std::expm1(-x); }},
      {2.0, [](double x) { return 1.0 - std::exp(-x) * (1.0 + x); }},
      {5.0,
       [](double x) {
         return 1.0 -
                std::exp(-x) * (1.0 + x + x * x / 2.0 + x * x * x / 6.0 + x * x * x * x / 24.0);
       }},
  };
  for (const auto& [shape, distribution] : cases) {
    const auto draws =
        draws_of([a = shape](Stream& s) { return std::exp(s.log_gamma_variate(a)); }, 8);
    EXPECT_LT(distance_to(distribution, draws), 1.95) << "shape " << shape;
  }
}

TEST(Stream, GammaVariatesOfTinyShapesKeepTheirLogarithm) {
  // For a shape a near 0, -a ln(variate) is standard exponential, though the variate is 0 in
  // double.
  for (const double shape : {1e-6, 1e-100, 1e-300}) {
    const auto draws = draws_of([&](Stream& s) { return -shape * s.log_gamma_variate(shape); }, 9);
    for (const double value : draws) ASSERT_TRUE(std::isfinite(value)) << "shape " << shape;
    EXPECT_LT(distance_to([](double x) { return -std::expm1(-x); }, draws), 1.95);
  }
}

TEST(Stream, BelowIsUniformOnItsRange) {
  for (const std::uint32_t n : {2u, 3u, 7u, 10u, 1000u}) {
    Stream stream({.seed = n});
    std::vector<int> counts(n, 0);
    for (int i = 0; i < 200000; ++i) {
      const std::uint32_t value = stream.below(n);
      ASSERT_LT(value, n);
      ++counts[value];
    }
    EXPECT_LT(chi_square(counts, 200000), chi_square_limit(n)) << "n = " << n;
  }
}

TEST(Stream, BelowRejectsWhatWouldMakeSomeValuesTwiceAsLikely) {
  // Multiplying 32 bits onto 3 * 2^30 values without rejection would hit every third value twice.
  Stream stream({.seed = 11});
  std::vector<int> counts(3, 0);
  for (int i = 0; i < 30000; ++i) ++counts[stream.below(3u << 30) % 3];
  EXPECT_LT(chi_square(counts, 30000), chi_square_limit(3));
}

TEST(Stream, BelowOneIsZero) {
  Stream stream({.seed = 12});
  for (int i = 0; i < 10; ++i) EXPECT_EQ(stream.below(1), 0u);
}

}  // namespace
}  // namespace caucus
