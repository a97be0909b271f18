#include "caucus/core/sampling/sampling.hpp"
#include "caucus/core/base/test_numbers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <set>
#include <vector>

namespace caucus {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;
using Models = std::vector<std::uint32_t>;

/// The probability of every set of J models by the definition: A_1 ~ p, and the others are any J -
/// 1 of the rest with equal probability.
Doubles set_probabilities(const Doubles& p, std::size_t sample_size) {
  const std::size_t K = p.size();
  Doubles probability(std::size_t{1} << K, 0.0);
  for (std::size_t first = 0; first < K; ++first) {
    Models possible;
    for (std::uint32_t set = 0; set < probability.size(); ++set) {
      const bool fits = static_cast<std::size_t>(std::popcount(set)) == sample_size;
      if (fits && (set >> first & 1u) != 0) possible.push_back(set);
    }
    for (const std::uint32_t set : possible) {
      probability[set] += p[first] / static_cast<double>(possible.size());
    }
  }
  return probability;
}

/// Draws of J models from fixed probabilities.
struct Draws {
  Simplex p;
  ModelSampler sampler;

  Draws(const Doubles& probabilities, std::size_t sample_size)
      : p(simplex_of(probabilities)), sampler(probabilities.size(), sample_size) {}

  static Simplex simplex_of(const Doubles& probabilities) {
    Doubles logs;
    for (const double value : probabilities) logs.push_back(std::log(value));
    return Simplex::from_log_weights(logs);
  }
  Models in_round(std::uint32_t round) {
    Stream stream({.seed = 5, .round = round});
    const auto drawn = sampler.draw(p, stream);
    return {drawn.begin(), drawn.end()};
  }
};

Doubles any_probabilities(std::size_t size) {
  Doubles p(size);
  for (double& value : p) value = *rc::gen::inRange(0, 1000);
  p[0] += 1.0;
  const double total = std::accumulate(p.begin(), p.end(), 0.0);
  for (double& value : p) value /= total;
  return p;
}

RC_GTEST_PROP(Sampling, InclusionProbabilityAgreesWithTheSumOverAllSets, ()) {
  for (std::size_t K = 1; K <= 6; ++K) {
    const Doubles p = any_probabilities(K);
    for (std::size_t J = std::min<std::size_t>(2, K); J <= K; ++J) {
      const Doubles sets = set_probabilities(p, J);
      for (std::size_t i = 0; i < K; ++i) {
        double expected = 0.0;
        for (std::size_t set = 0; set < sets.size(); ++set) {
          if ((set >> i & 1u) != 0) expected += sets[set];
        }
        RC_ASSERT(std::abs(inclusion_probability(p[i], K, J) - expected) < 1e-14);
      }
    }
  }
}

RC_GTEST_PROP(Sampling, DrawsAreAPartialShuffleOfAllButTheFirst, ()) {
  const auto K = *rc::gen::inRange<std::uint32_t>(2, 60);
  const auto J = *rc::gen::inRange<std::uint32_t>(2, K + 1);
  const Simplex p = Simplex::uniform(K);
  const Stream stream({.seed = *rc::gen::arbitrary<std::uint64_t>()});
  ModelSampler sampler(K, J);
  const auto drawn = sampler.draw(p, stream);
  Stream again = stream;
  Models order(K);
  std::iota(order.begin(), order.end(), 0U);
  Models expected = {static_cast<std::uint32_t>(p.find(again.uniform()))};
  if (J == K) {  // all others, in their order
    for (const std::uint32_t i : order) {
      if (i != expected[0]) expected.push_back(i);
    }
  } else {
    std::swap(order[expected[0]], order[K - 1]);
    for (std::uint32_t s = 1; s < J; ++s) {
      std::swap(order[again.below(K - s)], order[K - s - 1]);
      expected.push_back(order[K - s - 1]);
    }
  }
  RC_ASSERT(Models(drawn.begin(), drawn.end()) == expected);
}

TEST(Sampling, EverySetComesAsOftenAsItShould) {
  constexpr int kDraws = 40000;
  const Doubles p = {0.45, 0.05, 0.2, 0.0, 0.2, 0.1};
  for (const std::size_t J : {2u, 3u, 5u, 6u}) {
    Draws sampler(p, J);
    Doubles frequency(64, 0.0);
    for (std::uint32_t round = 0; round < kDraws; ++round) {
      std::size_t set = 0;
      for (const std::uint32_t model : sampler.in_round(round)) set |= std::size_t{1} << model;
      frequency[set] += 1.0 / kDraws;
    }
    const Doubles expected = set_probabilities(p, J);
    for (std::size_t set = 0; set < 64; ++set) {
      const double deviation = std::sqrt(expected[set] * (1.0 - expected[set]) / kDraws);
      EXPECT_NEAR(frequency[set], expected[set], 4.5 * deviation + 1e-12) << "J=" << J;
    }
  }
}

TEST(Sampling, TheFirstModelFollowsPAndTheOthersNeverRepeatIt) {
  constexpr int kDraws = 40000;
  const Doubles p = {0.0, 0.5, 0.25, 0.15, 0.1, 0.0};
  for (const std::size_t J : {2u, 3u, 5u, 6u}) {
    Draws sampler(p, J);
    Doubles frequency(p.size(), 0.0);
    for (std::uint32_t round = 0; round < kDraws; ++round) {
      const Models sampled = sampler.in_round(round);
      ASSERT_EQ(sampled.size(), J);
      ASSERT_EQ(std::set<std::uint32_t>(sampled.begin(), sampled.end()).size(), J);
      frequency[sampled[0]] += 1.0 / kDraws;
    }
    for (std::size_t i = 0; i < p.size(); ++i) {
      const double deviation = std::sqrt(p[i] * (1.0 - p[i]) / kDraws);
      EXPECT_NEAR(frequency[i], p[i], 4.5 * deviation + 1e-12) << "J=" << J << " model " << i;
    }
  }
}

TEST(Sampling, ImportanceWeightingIsUnbiased) {
  constexpr int kDraws = 60000;
  const Doubles p = {0.6, 0.3, 0.06, 0.03, 0.01};
  const Doubles losses = {1.0, 0.2, 3.0, 0.7, 2.0};
  for (const std::size_t J : {2u, 3u, 4u}) {
    Draws sampler(p, J);
    Doubles mean(p.size(), 0.0);
    for (std::uint32_t round = 0; round < kDraws; ++round) {
      for (const std::uint32_t i : sampler.in_round(round)) {
        mean[i] += losses[i] / inclusion_probability(p[i], p.size(), J) / kDraws;
      }
    }
    for (std::size_t i = 0; i < p.size(); ++i) {
      const double P = inclusion_probability(p[i], p.size(), J);
      const double deviation = losses[i] * std::sqrt((1.0 - P) / P / kDraws);
      EXPECT_NEAR(mean[i], losses[i], 4.5 * deviation) << "J=" << J << " model " << i;
    }
  }
}

RC_GTEST_PROP(Sampling, ADrawDependsOnTheStreamAndPAlone, ()) {
  const auto K = *rc::gen::inRange<std::size_t>(2, 60);
  const auto J = *rc::gen::inRange<std::size_t>(2, K + 1);
  const Doubles p = any_probabilities(K);
  Draws used(any_probabilities(K), J);
  for (std::uint32_t round = 0; round < 50; ++round) used.in_round(round);
  used.p = Draws::simplex_of(p);
  for (std::uint32_t round = 100; round < 120; ++round) {
    Draws fresh(p, J);
    RC_ASSERT(used.in_round(round) == fresh.in_round(round));
  }
}

TEST(Sampling, AllModelsAreSampledWhenJIsK) {
  Draws sampler({0.0, 0.0, 1.0, 0.0}, 4);
  EXPECT_EQ(sampler.in_round(1)[0], 2u);
  EXPECT_THAT(sampler.in_round(1), UnorderedElementsAre(0u, 1u, 2u, 3u));
  EXPECT_EQ(inclusion_probability(0.001, 4, 4), 1.0);
}

TEST(Sampling, ASingleModelIsAlwaysSampled) {
  Draws sampler({1.0}, 1);
  EXPECT_THAT(sampler.in_round(1), ElementsAre(0u));
  EXPECT_EQ(inclusion_probability(1.0, 1, 1), 1.0);
}

TEST(Sampling, ProbabilitiesNeedNotSumToOneExactly) {
  // Draws stay in range even if rounding makes the sum a little smaller than 1.
  Draws sampler({0.3, 0.3, 0.3}, 2);
  std::vector<int> counts(3, 0);
  for (std::uint32_t round = 0; round < 9000; ++round) ++counts[sampler.in_round(round)[0]];
  for (const int count : counts) EXPECT_NEAR(count, 3000, 4.5 * std::sqrt(2000.0));
}

RC_GTEST_PROP(PairWeights, AreTheProbabilitiesOverThatOfHoldingBoth, ()) {
  const std::size_t K = *rc::gen::inRange<std::size_t>(2, 8);
  const std::size_t J = *rc::gen::inRange<std::size_t>(2, K + 1);
  Doubles log_weights(K);
  for (double& value : log_weights) value = *rc::gen::inRange(-30, 1);
  const Simplex p = Simplex::from_log_weights(log_weights);
  const Doubles sets = set_probabilities(p.probabilities(), J);
  const std::size_t i = *rc::gen::inRange<std::size_t>(0, K);
  const std::size_t k = (i + *rc::gen::inRange<std::size_t>(1, K)) % K;
  double both = 0.0;
  for (std::size_t set = 0; set < sets.size(); ++set) {
    if ((set >> i & 1u) != 0 && (set >> k & 1u) != 0) both += sets[set];
  }
  const PairWeights weights = pair_weights(p, i, k, J);
  RC_ASSERT(std::abs(weights.first - p[i] / both) < 1e-9 * (1.0 + weights.first));
  RC_ASSERT(std::abs(weights.second - p[k] / both) < 1e-9 * (1.0 + weights.second));
}

TEST(PairWeights, OfTwoModelsThatBothUnderflowedAreFinite) {
  const Simplex p = Simplex::from_log_weights({0.0, -2000.0, -2001.0});
  const PairWeights weights = pair_weights(p, 1, 2, 2);
  EXPECT_NEAR(weights.first, 2.0 / (1.0 + std::exp(-1.0)), 1e-12);
  EXPECT_NEAR(weights.second, 2.0 / (1.0 + std::exp(1.0)), 1e-12);
}

RC_GTEST_PROP(ClientSampler, DrawsForConsecutiveClientsWhatEachDrawsFromItsStream, ()) {
  const auto K = *rc::gen::inRange<std::size_t>(3, 40);
  const auto sample_size = *rc::gen::inRange<std::size_t>(2, K + 1);
  const auto seed = *rc::gen::inRange<std::uint64_t>(0, 1000);
  const auto first = *rc::gen::inRange<std::uint32_t>(0, 40);
  Draws alone(any_probabilities(K), sample_size);
  ClientSampler sampler({.seed = seed, .purpose = Purpose::sampling}, K, sample_size);
  Models together(40 * sample_size);
  sampler.draw(alone.p, 7, first, 40, together.data());
  for (std::uint32_t c = 0; c < 40; ++c) {
    const StreamKey key{
        .seed = seed, .purpose = Purpose::sampling, .round = 7, .client = first + c};
    const auto expected = alone.sampler.draw(alone.p, Stream(key));
    RC_ASSERT(std::equal(expected.begin(), expected.end(), together.data() + c * sample_size));
    const auto drawn = sampler.draw(alone.p, 7, first + c);
    RC_ASSERT(std::equal(expected.begin(), expected.end(), drawn.begin()));
  }
}

}  // namespace
}  // namespace caucus
