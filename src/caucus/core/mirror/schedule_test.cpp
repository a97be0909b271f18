#include "caucus/core/mirror/schedule.hpp"
#include "caucus/core/base/test_numbers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace caucus {
namespace {

using testing::DoubleNear;
using testing::Each;

double relative_error(double value, Exact expected) {
  return static_cast<double>(std::abs(Exact(value) / expected - 1));
}

/// K spaces whose constants all differ.
std::vector<SpaceConstants> spaces(std::size_t K) {
  std::vector<SpaceConstants> result;
  for (std::size_t i = 0; i < K; ++i) {
    const double U = 0.1 * static_cast<double>(i + 1);
    result.push_back({.radius = U, .loss_bound = (U + 1) * (U + 1), .gradient_bound = 3 * U + 2});
  }
  return result;
}

ProblemSize any_size() {
  const auto K = *rc::gen::inRange<std::size_t>(2, 60);
  const auto J = *rc::gen::inRange<std::size_t>(2, K + 1);
  const auto M = *rc::gen::inRange(1, 200);
  const auto T = static_cast<double>(K) + *rc::gen::inRange(0, 1000000);
  return {.models = K, .sample_size = J, .clients = static_cast<double>(M), .horizon = T};
}

/// 1 + (K - J) / ((J - 1) M), the factor under the roots of Theorem 3.
Exact root_factor(const ProblemSize& size) {
  const auto K = static_cast<Exact>(size.models);
  const auto J = static_cast<Exact>(size.sample_size);
  return 1 + (K - J) / ((J - 1) * Exact(size.clients));
}

RC_GTEST_PROP(TheorySchedule, EtaIsThatOfTheoremThree, ()) {
  const ProblemSize size = any_size();
  const auto K = static_cast<Exact>(size.models);
  const auto J = static_cast<Exact>(size.sample_size);
  const auto T = static_cast<Exact>(size.horizon);
  const Exact slow = std::sqrt(std::log(K * T)) / (2 * std::sqrt(root_factor(size) * T));
  const Exact expected =
      size.models == size.sample_size ? slow : std::min(slow, (J - 1) / (2 * (K - J)));
  const TheorySchedule schedule(size, spaces(size.models));
  RC_ASSERT(relative_error(schedule.probability_rate(), expected) < 1e-13);
}

RC_GTEST_PROP(TheorySchedule, LambdaIsThatOfTheoremThree, ()) {
  const ProblemSize size = any_size();
  const auto constants = spaces(size.models);
  const TheorySchedule schedule(size, constants);
  const auto K = static_cast<Exact>(size.models);
  const auto J = static_cast<Exact>(size.sample_size);
  const auto i = *rc::gen::inRange<std::size_t>(0, size.models);
  for (const std::size_t t : {1u, 2u, 10u, 3000u, 1000000u}) {
    const Exact seen = std::max((K - J) * (K - J) / ((J - 1) * (J - 1)), static_cast<Exact>(t));
    const Exact expected = Exact(constants[i].radius) / (2 * Exact(constants[i].gradient_bound) *
                                                         std::sqrt(root_factor(size) * seen));
    RC_ASSERT(relative_error(schedule.model_rate(t, i), expected) < 1e-13);
  }
}

RC_GTEST_PROP(TheorySchedule, FirstProbabilitiesAreThoseOfTheoremThree, ()) {
  const ProblemSize size = any_size();
  auto constants = spaces(size.models);
  const auto ties = *rc::gen::inRange<std::size_t>(1, size.models + 1);
  for (std::size_t i = 0; i < ties; ++i) constants[size.models - 1 - i].loss_bound = 0.5;
  const Simplex p = TheorySchedule(size, constants).first_probabilities();
  const auto K = static_cast<Exact>(size.models);
  const auto T = static_cast<Exact>(size.horizon);
  RC_ASSERT(p.size() == size.models);
  for (std::size_t i = 0; i < size.models; ++i) {
    Exact expected = 1 / std::sqrt(K * T);
    if (i >= size.models - ties) {
      expected += (1 - std::sqrt(K) / std::sqrt(T)) / static_cast<Exact>(ties);
    }
    RC_ASSERT(relative_error(p[i], expected) < 1e-12);
  }
  const auto values = p.probabilities();
  RC_ASSERT(std::abs(std::accumulate(values.begin(), values.end(), 0.0) - 1.0) < 1e-14);
}

TEST(TheorySchedule, AllModelsSampledGivesTheRatesOfTheFirstExperiment) {
  // J = K: eta = sqrt(ln(K T)) / (2 sqrt T), lambda = U / (2 G sqrt t), for any number of clients.
  const TheorySchedule schedule({.models = 10, .sample_size = 10, .clients = 7, .horizon = 1000},
                                spaces(10));
  EXPECT_NEAR(schedule.probability_rate(), std::sqrt(std::log(1e4)) / (2 * std::sqrt(1e3)), 1e-15);
  EXPECT_NEAR(schedule.model_rate(9, 4), 0.5 / (2 * 3.5 * 3), 1e-15);
}

TEST(TheorySchedule, TwoModelsOfALoneClientGiveTheRatesOfTheSecondExperiment) {
  // J = 2, M = 1: eta = sqrt(ln(K T)) / (2 sqrt((K-1) T)) and at most 1 / (2 (K-2)),
  // lambda = U / (2 G sqrt((K-1) max((K-2)^2, t))).
  const TheorySchedule late({.models = 10, .sample_size = 2, .clients = 1, .horizon = 1e5},
                            spaces(10));
  EXPECT_NEAR(late.probability_rate(), std::sqrt(std::log(1e6)) / (2 * std::sqrt(9e5)), 1e-15);
  EXPECT_NEAR(late.model_rate(50, 4), 0.5 / (2 * 3.5 * 3 * 8), 1e-15);
  EXPECT_NEAR(late.model_rate(400, 4), 0.5 / (2 * 3.5 * 3 * 20), 1e-15);
  const TheorySchedule early({.models = 10, .sample_size = 2, .clients = 1, .horizon = 10},
                             spaces(10));
  EXPECT_EQ(early.probability_rate(), 1.0 / 16.0);
}

TEST(TheorySchedule, StartsUniformWhenThereAreAsManyRoundsAsModels) {
  const TheorySchedule schedule({.models = 8, .sample_size = 2, .clients = 3, .horizon = 8},
                                spaces(8));
  EXPECT_THAT(schedule.first_probabilities().probabilities(), Each(DoubleNear(0.125, 1e-15)));
}

TEST(TheorySchedule, ASingleModelIsPlainFederatedLearning) {
  const TheorySchedule schedule({.models = 1, .sample_size = 1, .clients = 5, .horizon = 100},
                                spaces(1));
  EXPECT_NEAR(schedule.first_probabilities()[0], 1.0, 1e-15);
  EXPECT_NEAR(schedule.model_rate(4, 0), 0.1 / (2 * 2.3 * 2), 1e-15);
}

TEST(Schedule, TheUnseenRatioIsWhatIsNotSeenPerModelThatIs) {
  EXPECT_EQ(unseen_ratio(10, 10), 0.0);
  EXPECT_EQ(unseen_ratio(10, 2), 8.0);
  EXPECT_EQ(unseen_ratio(10, 4), 2.0);
  EXPECT_EQ(unseen_ratio(1, 1), 0.0);
}

TEST(ConstantSchedule, GivesItsRatesAndStartsUniform) {
  const ConstantSchedule schedule{.eta = 16.0, .lambda = 0.5, .models = 4};
  EXPECT_EQ(schedule.probability_rate(), 16.0);
  EXPECT_EQ(schedule.model_rate(1, 0), 0.5);
  EXPECT_EQ(schedule.model_rate(1000, 3), 0.5);
  EXPECT_EQ(schedule.first_probabilities().size(), 4u);
  EXPECT_THAT(schedule.first_probabilities().probabilities(), Each(0.25));
}

}  // namespace
}  // namespace caucus
