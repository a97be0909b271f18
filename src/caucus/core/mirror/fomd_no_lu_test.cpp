#include "caucus/fomd_no_lu.hpp"
#include "caucus/core/base/test_numbers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "caucus/ball.hpp"
#include "caucus/box.hpp"
#include "caucus/core/base/random.hpp"
#include "caucus/core/mirror/simplex.hpp"

namespace caucus {
namespace {

using testing::ElementsAre;

/// A user's own map: exponentiated gradient on the positive orthant, psi(u) = sum u ln u - u.
struct Orthant {
  using Decision = Doubles;
  using Scalar = double;
  void descend(Doubles& u, std::span<const double> gradient, double rate) const {
    for (std::size_t k = 0; k < u.size(); ++k) u[k] *= std::exp(-rate * gradient[k]);
  }
};
static_assert(MirrorMap<Orthant>);

/// A map that records its arguments.
struct Witness {
  using Decision = Floats;
  using Scalar = float;
  void descend(Floats& u, std::span<const float> gradient, double rate) const {
    u.assign(gradient.begin(), gradient.end());
    u.push_back(static_cast<float>(rate));
  }
};
struct NoMap {
  using Decision = Floats;
  using Scalar = float;
};
static_assert(!MirrorMap<NoMap>);

/// Runs batches of clients whose losses are |w - a_j|^2 / 2. The optimum is the projection of the
/// mean of the a_j.
template <class Map>
Floats learn(Map map, const std::vector<Floats>& centres) {
  FomdNoLu<Map> server(map, Floats(centres[0].size(), 0.0F));
  for (int r = 1; r <= 2000; ++r) {
    for (const Floats& centre : centres) {
      Floats gradient = server.decision();
      for (std::size_t k = 0; k < gradient.size(); ++k) gradient[k] -= centre[k];
      server.receive(gradient);
    }
    server.step(1.0 / std::sqrt(static_cast<double>(r)));
  }
  return server.decision();
}

TEST(FomdNoLu, FindsTheOptimumOfAQuadraticInTheBallAndTheBox) {
  const std::vector<Floats> centres = {{5.0F, 1.0F}, {3.0F, 6.0F}, {1.0F, 2.0F}};  // mean (3, 3)
  const Floats free = learn(Ball{100.0}, centres);
  const Floats ball = learn(Ball{1.0}, centres);
  const Floats box = learn(Box{std::sqrt(2.0) * 2.0}, {{5.0F, 1.0F}, {3.0F, 0.0F}});
  for (const float value : free) EXPECT_NEAR(static_cast<double>(value), 3.0, 1e-5);
  for (const float value : ball) EXPECT_NEAR(static_cast<double>(value), std::sqrt(0.5), 1e-5);
  EXPECT_NEAR(static_cast<double>(box[0]), 2.0, 1e-5);
  EXPECT_NEAR(static_cast<double>(box[1]), 0.5, 1e-5);
}

TEST(FomdNoLu, OneClientAndBatchesOfOneArePlainOnlineGradientDescent) {
  constexpr double kRadius = 1.5;
  Stream stream({.seed = 1});
  FomdNoLu<Ball> server(Ball{kRadius}, Floats(2, 0.0F));
  std::array<double, 2> w = {0.0, 0.0};
  for (int t = 1; t <= 200; ++t) {
    const Floats gradient = {static_cast<float>(stream.normal()),
                             static_cast<float>(stream.normal())};
    const double rate = 1.0 / std::sqrt(static_cast<double>(t));
    server.receive(gradient);
    server.step(rate);
    for (std::size_t k = 0; k < 2; ++k) w[k] -= rate * static_cast<double>(gradient[k]);
    const double norm = std::hypot(w[0], w[1]);
    for (double& value : w) value *= std::min(1.0, kRadius / norm);
    EXPECT_NEAR(static_cast<double>(server.decision()[0]), w[0], 1e-5);
    EXPECT_NEAR(static_cast<double>(server.decision()[1]), w[1], 1e-5);
  }
}

TEST(FomdNoLu, WithoutAReportTheDecisionStays) {
  FomdNoLu<Witness> server(Witness{}, Floats{7.0F, 8.0F});
  server.step(1.0);
  EXPECT_THAT(server.decision(), ElementsAre(7.0F, 8.0F));
}

TEST(FomdNoLu, AStepUsesTheReportsOfItsBatchOnly) {
  FomdNoLu<Ball> server(Ball{}, Floats{0.0F});
  server.receive(Floats{4.0F});
  server.step(1.0);
  EXPECT_THAT(server.decision(), ElementsAre(-4.0F));
  server.step(1.0);
  EXPECT_THAT(server.decision(), ElementsAre(-4.0F));
  server.receive(Floats{1.0F});
  server.receive(Floats{2.0F});
  server.step(2.0);
  EXPECT_THAT(server.decision(), ElementsAre(-7.0F));  // the mean of the two, times the rate
}

TEST(FomdNoLu, ReportsAreSummedInTheOrderOfTheirArrival) {
  const auto sum_of = [](const Floats& order) {
    FomdNoLu<Witness> server(Witness{}, Floats{0.0F});
    for (const float value : order) server.receive(Floats{value});
    server.step(6.0);
    return server.decision();
  };
  // Floats near 1e8 are 8 apart: a 1 that comes after 1e8 is lost, one that comes last is not.
  EXPECT_THAT(sum_of({1e8F, 1.0F, -1e8F}), ElementsAre(0.0F, 2.0F));
  EXPECT_THAT(sum_of({1e8F, -1e8F, 1.0F}), ElementsAre(1.0F, 2.0F));
}

RC_GTEST_PROP(FomdNoLu, OnTheSimplexWithEqualWeightsItIsHedge, ()) {
  Stream stream({.seed = *rc::gen::arbitrary<std::uint64_t>()});
  const auto K = *rc::gen::inRange<std::size_t>(1, 12);
  const auto clients = *rc::gen::inRange<std::size_t>(1, 5);
  const double eta = stream.uniform();
  FomdNoLu<WeightedEntropy> server(WeightedEntropy(Doubles(K, 1.0)), Simplex::uniform(K));
  Doubles cumulative(K, 0.0);
  for (int r = 0; r < 30; ++r) {
    for (std::size_t j = 0; j < clients; ++j) {
      Doubles losses(K);
      for (std::size_t i = 0; i < K; ++i) {
        losses[i] = stream.uniform();
        cumulative[i] += losses[i] / static_cast<double>(clients);
      }
      server.receive(losses);
    }
    server.step(eta);
  }
  double total = 0.0;
  for (const double loss : cumulative) total += std::exp(-eta * loss);
  for (std::size_t i = 0; i < K; ++i) {
    RC_ASSERT(std::abs(server.decision()[i] - std::exp(-eta * cumulative[i]) / total) < 1e-12);
  }
}

TEST(FomdNoLu, TakesAMapOfTheUser) {
  FomdNoLu<Orthant> server(Orthant{}, Doubles{1.0, 1.0});
  server.receive(Doubles{std::log(2.0), 0.0});
  server.receive(Doubles{std::log(8.0), -std::log(4.0)});
  server.step(1.0);
  EXPECT_NEAR(server.decision()[0], 0.25, 1e-15);
  EXPECT_NEAR(server.decision()[1], 2.0, 1e-15);
}

}  // namespace
}  // namespace caucus
