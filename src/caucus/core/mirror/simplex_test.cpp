#include "caucus/core/mirror/simplex.hpp"
#include "caucus/core/base/test_numbers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <type_traits>
#include <vector>

#include "caucus/core/base/random.hpp"
#include "caucus/mirror_map.hpp"

namespace caucus {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::ElementsAreArray;

static_assert(MirrorMap<WeightedEntropy>);
static_assert(!std::is_constructible_v<Simplex, Doubles>, "a raw vector is not a Simplex");

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

Doubles copy(std::span<const double> values) { return {values.begin(), values.end()}; }

double sum_of(const Simplex& p) {
  const auto values = p.probabilities();
  return std::accumulate(values.begin(), values.end(), 0.0);
}

/// The input of one step; rate / C_i is in 1e-6 .. 1e6, and the p_i are at least e^-5000.
struct Step {
  Doubles log_weights, weights, losses;
  double rate = 1.0;

  [[nodiscard]] std::size_t size() const { return losses.size(); }
  [[nodiscard]] double steepness(std::size_t i) const { return rate / weights[i]; }
  [[nodiscard]] Simplex before() const { return Simplex::from_log_weights(log_weights); }
  [[nodiscard]] Simplex after() const {
    Simplex p = before();
    WeightedEntropy(weights).descend(p, losses, rate);
    return p;
  }
};

/// decades: how far C_i and the rate spread around 1; depth: how far ln p_i reaches down.
Step any_step(double decades, double depth) {
  Stream stream({.seed = *rc::gen::arbitrary<std::uint64_t>()});
  const auto K = *rc::gen::inRange<std::size_t>(2, 51);
  const auto spread = [&](double range) {
    return std::pow(10.0, range * (2.0 * stream.uniform() - 1.0));
  };
  Step step;
  step.rate = spread(decades);
  for (std::size_t i = 0; i < K; ++i) {
    step.log_weights.push_back(-depth * stream.uniform());
    step.weights.push_back(spread(decades));
    step.losses.push_back(stream.below(5) == 0 ? 0.0 : spread(1.0));
  }
  return step;
}

/// ln p after the step in long double, with nu by bisection; and the slope of ln sum in nu there.
struct Reference {
  std::vector<Exact> log_p;
  Exact slope = 0;
};

Reference by_bisection(const Step& step) {
  const std::size_t K = step.size();
  std::vector<Exact> log_q(step.log_weights.begin(), step.log_weights.end());
  std::vector<Exact> moved(K);
  const auto log_sum = [&](const std::vector<Exact>& x) {
    const Exact largest = *std::max_element(x.begin(), x.end());
    Exact sum = 0;
    for (const Exact value : x) sum += std::exp(value - largest);
    return largest + std::log(sum);
  };
  const Exact log_before = log_sum(log_q);
  const auto at = [&](Exact nu) {
    for (std::size_t i = 0; i < K; ++i) {
      moved[i] = log_q[i] - log_before -
                 Exact(step.rate) / Exact(step.weights[i]) * (Exact(step.losses[i]) + nu);
    }
    return log_sum(moved);
  };
  Exact left = -Exact(*std::max_element(step.losses.begin(), step.losses.end()));
  Exact right = -Exact(*std::min_element(step.losses.begin(), step.losses.end()));
  for (int i = 0; i < 120; ++i) {
    const Exact middle = (left + right) / 2;
    (at(middle) > 0 ? left : right) = middle;
  }
  const Exact rest = at(left);
  Reference reference;
  for (std::size_t i = 0; i < K; ++i) {
    reference.log_p.push_back(moved[i] - rest);
    reference.slope += std::exp(moved[i]) * Exact(step.rate) / Exact(step.weights[i]);
  }
  return reference;
}

/// The allowed difference to the reference. nu is affected by its own rounding, by the tolerance on
/// the sum, and by the rounding of the logarithms.
struct Room {
  Room(const Step& step, const Reference& reference)
      : slope(static_cast<double>(reference.slope)),
        nu_rounding(8.0 * kEpsilon * *std::max_element(step.losses.begin(), step.losses.end())),
        log_rounding(8.0 * kEpsilon *
                     (1.0 - *std::min_element(step.log_weights.begin(), step.log_weights.end()))) {
    const double nu_error = nu_rounding + (2e-14 + log_rounding) / slope;
    for (std::size_t i = 0; i < step.size(); ++i) {
      const auto log_p = static_cast<double>(reference.log_p[i]);
      of_log.push_back(8.0 * kEpsilon * std::abs(log_p) + log_rounding +
                       (step.steepness(i) + slope) * nu_error);
    }
  }

  double slope, nu_rounding, log_rounding;
  Doubles of_log;  ///< of ln p_i
};

void agrees_with_bisection(const Step& step) {
  const Simplex p = step.after();
  const Reference reference = by_bisection(step);
  const Room room(step, reference);
  for (std::size_t i = 0; i < step.size(); ++i) {
    const auto log_p = static_cast<double>(reference.log_p[i]);
    RC_ASSERT(std::abs(p.log_probabilities()[i] - log_p) <= room.of_log[i]);
    RC_ASSERT(std::abs(p[i] - std::exp(log_p)) <= 1e-11 + 2.0 * room.slope * room.nu_rounding);
  }
  const double tolerance = std::max(1e-14, static_cast<double>(step.size()) * kEpsilon);
  RC_ASSERT(std::abs(sum_of(p) - 1.0) <= tolerance);
}

RC_GTEST_PROP(Simplex, NewtonAgreesWithBisectionInLongDouble, ()) {
  agrees_with_bisection(any_step(1.0, 5.0));
}

RC_GTEST_PROP(Simplex, NewtonAgreesWithBisectionAtExtremeRatesAndTinyProbabilities, ()) {
  agrees_with_bisection(any_step(3.0, 5000.0));
}

RC_GTEST_PROP(Simplex, EqualWeightsGiveTheSoftmax, ()) {
  Step step = any_step(1.0, 20.0);
  step.weights.assign(step.size(), step.weights[0]);
  const Simplex p = step.after();
  Exact total = 0;
  std::vector<Exact> q;
  for (std::size_t i = 0; i < step.size(); ++i) {
    q.push_back(std::exp(Exact(step.log_weights[i]) -
                         Exact(step.rate) * Exact(step.losses[i]) / Exact(step.weights[0])));
    total += q.back();
  }
  RC_PRE(total > 0);
  for (std::size_t i = 0; i < step.size(); ++i) {
    RC_ASSERT(std::abs(p[i] - static_cast<double>(q[i] / total)) <= 1e-12);
  }
}

RC_GTEST_PROP(Simplex, TheStepMinimisesLinearizedLossPlusDivergence, ()) {
  const Step step = any_step(1.0, 10.0);
  const Simplex before = step.before();
  const Simplex after = step.after();
  // <c, p> + sum_i (C_i / rate) (p_i ln(p_i / q_i) - p_i + q_i), times the rate.
  const auto objective = [&](const std::vector<Exact>& p) {
    Exact value = 0;
    for (std::size_t i = 0; i < step.size(); ++i) {
      const Exact log_p = p[i] > 0 ? std::log(p[i]) : Exact(0);  // 0 ln 0 = 0
      const Exact log_ratio = log_p - Exact(before.log_probabilities()[i]);
      value += Exact(step.rate) * Exact(step.losses[i]) * p[i] +
               Exact(step.weights[i]) * (p[i] * log_ratio - p[i] + Exact(before[i]));
    }
    return value;
  };
  const auto p = after.probabilities();
  const std::vector<Exact> best(p.begin(), p.end());
  Stream stream({.seed = 1});
  for (int trial = 0; trial < 30; ++trial) {
    std::vector<Exact> other;
    Exact total = 0;
    for (std::size_t i = 0; i < step.size(); ++i) {
      other.push_back(std::exp(Exact(stream.log_gamma_variate(0.3))));
      total += other.back();
    }
    const Exact mix = std::pow(10.0L, -Exact(trial % 5));
    for (std::size_t i = 0; i < step.size(); ++i) {
      other[i] = (1 - mix) * best[i] + mix * other[i] / total;
    }
    RC_ASSERT(objective(other) >= objective(best) - 1e-12L);
  }
}

RC_GTEST_PROP(Simplex, TheLeastLossNeverLosesAndTheLargestNeverGains, ()) {
  const Step step = any_step(3.0, 100.0);
  const Simplex before = step.before();
  const Simplex after = step.after();
  const auto extremes = std::minmax_element(step.losses.begin(), step.losses.end());
  const auto best = static_cast<std::size_t>(extremes.first - step.losses.begin());
  const auto worst = static_cast<std::size_t>(extremes.second - step.losses.begin());
  const auto gain = [&](std::size_t i) {
    return after.log_probabilities()[i] - before.log_probabilities()[i];
  };
  const Room room(step, by_bisection(step));
  RC_ASSERT(gain(best) >= -room.of_log[best] - room.log_rounding);
  RC_ASSERT(gain(worst) <= room.of_log[worst] + room.log_rounding);
}

RC_GTEST_PROP(Simplex, ALowerLossGivesAHigherProbability, ()) {
  Step step = any_step(0.5, 3.0);
  const auto i = *rc::gen::inRange<std::size_t>(0, step.size());
  step.losses[i] = 1.0;
  const double p = step.after()[i];
  RC_PRE(p < 1.0 - 1e-9);  // closer to 1 a double cannot increase
  step.losses[i] = 0.5;
  RC_ASSERT(step.after()[i] > p);
}

TEST(Simplex, EqualLossesOrRateZeroLeaveEveryBit) {
  Simplex p = Simplex::from_log_weights({0.0, -1.0, -5000.0});
  const Doubles before = copy(p.log_probabilities());
  const WeightedEntropy entropy({1.0, 2.0, 3.0});
  entropy.descend(p, Doubles{0.7, 0.7, 0.7}, 10.0);
  EXPECT_THAT(p.log_probabilities(), ElementsAreArray(before));
  entropy.descend(p, Doubles{0.1, 0.2, 0.3}, 0.0);
  EXPECT_THAT(p.log_probabilities(), ElementsAreArray(before));
}

TEST(Simplex, ASingleModelKeepsProbabilityOne) {
  Simplex p = Simplex::uniform(1);
  WeightedEntropy({3.0}).descend(p, Doubles{1e6}, 5.0);
  EXPECT_THAT(p.probabilities(), ElementsAre(1.0));
}

TEST(Simplex, AProbabilityBelowAllDoublesComesBack) {
  Simplex p = Simplex::from_log_weights({0.0, -5000.0});
  EXPECT_EQ(p[1], 0.0);
  for (int t = 0; t < 500; ++t) WeightedEntropy({1.0, 1.0}).descend(p, Doubles{1.0, 0.0}, 10.0);
  EXPECT_THAT(p.probabilities(), ElementsAre(DoubleNear(0.5, 1e-9), DoubleNear(0.5, 1e-9)));
  for (int t = 0; t < 10; ++t) WeightedEntropy({1.0, 1.0}).descend(p, Doubles{1.0, 0.0}, 10.0);
  EXPECT_NEAR(p[1], 1.0, 1e-9);
}

TEST(Simplex, LossesAsLargeAsFloatsLeaveAProbabilityVector) {
  Simplex p = Simplex::uniform(3);
  WeightedEntropy({1.0, 0.5, 4.0}).descend(p, Doubles{3.4e38, 1e30, 0.0}, 8.0);
  EXPECT_NEAR(sum_of(p), 1.0, 1e-14);
  EXPECT_NEAR(p[2], 1.0, 1e-9);
  for (const double log_p : p.log_probabilities()) EXPECT_TRUE(std::isfinite(log_p));
}

TEST(Simplex, ConstructorsNormaliseInLogSpace) {
  EXPECT_THAT(Simplex::uniform(4).probabilities(), ElementsAre(0.25, 0.25, 0.25, 0.25));
  for (const double shift : {-1e5, 0.0, 1e5}) {
    const Simplex p =
        Simplex::from_log_weights({shift + std::log(1.0), shift + std::log(3.0), -kInfinity});
    EXPECT_THAT(p.probabilities(),
                ElementsAre(DoubleNear(0.25, 1e-10), DoubleNear(0.75, 1e-10), 0.0));
    EXPECT_NEAR(p.log_probabilities()[1], std::log(0.75), 1e-10);
  }
}

}  // namespace
}  // namespace caucus
