#include "caucus/algorithms/baselines/fed_omd.hpp"

#include <gtest/gtest.h>

#include "caucus/algorithms/baselines/baseline_reference_test.hpp"

namespace caucus::conformance {
namespace {

void project(const Space& space, Vector& w) {
  const double norm = std::sqrt(product(w, w));
  const double side = space.radius / std::sqrt(static_cast<double>(w.size()));
  for (double& value : w) {
    value = space.constraint == Constraint::ball ? value * std::min(1.0, space.radius / norm)
                                                 : std::clamp(value, -side, side);
  }
}

void expect_described_fed_omd(const Problem& problem, std::size_t per_batch,
                              const std::vector<std::uint32_t>& reporting) {
  FedOmd server(problem.baseline_settings());
  Clients<FedOmd> clients(problem);
  const auto plan = problem.plan();
  Vector mean(plan->maps.dimension(0), 0.0);
  Vector forecasts;
  for (Batch batch{1, 0, per_batch}; batch.first < problem.rounds;
       batch = {batch.number + 1, batch.last, batch.last + per_batch}) {
    play(server, problem, batch, reporting, clients);
    Vector sum(mean.size(), 0.0);
    for (const auto j : reporting) {
      Vector w = mean;
      for (std::size_t t = batch.first; t < batch.last; ++t) {
        const PlainExample e = plain_example(problem, plan->maps, j, t);
        forecasts.push_back(product(w, e.z[0]));
        for (std::size_t k = 0; k < w.size(); ++k) {
          w[k] -= problem.lambda * 2.0 * (forecasts.back() - e.y) * e.z[0][k];
        }
        project(problem.spaces[0], w);
      }
      for (std::size_t k = 0; k < w.size(); ++k) sum[k] += w[k];
    }
    for (std::size_t k = 0; k < mean.size(); ++k) {
      mean[k] = sum[k] / static_cast<double>(reporting.size());
    }
  }
  EXPECT_GT(largest_weight(server.learned()), 0.05);
  EXPECT_LT(distance(server.learned(), {1.0}, {mean}), 1e-5);
  ASSERT_EQ(clients.forecasts.size(), forecasts.size());
  for (std::size_t t = 0; t < forecasts.size(); ++t) {
    EXPECT_NEAR(clients.forecasts[t], forecasts[t], 1e-5) << t;
  }
}

TEST(FedOmd, IsWhatItsDescriptionSaysOnABall) {
  expect_described_fed_omd(one_space(Space{.radius = 0.3}), 1, in_order(5));
}

TEST(FedOmd, IsWhatItsDescriptionSaysOnABox) {
  const Space space{
      .kind = SpaceKind::gaussian, .radius = 0.5, .constraint = Constraint::box, .features = 8};
  expect_described_fed_omd(one_space(space), 1, in_order(5));
}

TEST(FedOmd, InBatchesClientsMoveEveryRoundAndMeetAtTheEnds) {
  expect_described_fed_omd(one_space(Space{.radius = 0.6, .intercept = true}), 4, in_order(5));
}

TEST(FedOmd, AveragesOverThoseThatReport) {
  expect_described_fed_omd(one_space(Space{.intercept = true}), 2, {1, 2, 4});
}

TEST(FedOmd, SendsOneModelUpAndDown) {
  const Problem problem = one_space(Space{.intercept = true});
  const FedOmd server(problem.baseline_settings());
  FedOmd::Assignment assignment;
  server.assign({1, 0, 1}, 0, assignment);
  EXPECT_EQ(server.upload_bits(assignment), 32U * 4);
  EXPECT_EQ(server.download_bits(assignment), 32U * 4);
}

TEST(FedOmd, AFrozenExpertForecastsAndNothingIsSent) {
  const Problem problem =
      one_space(Space{.kind = SpaceKind::expert, .function = [](auto) { return 0.25F; }});
  FedOmd server(problem.baseline_settings());
  for (const double forecast : play_all(server, problem)) EXPECT_EQ(forecast, 0.25);
  FedOmd::Assignment assignment;
  server.assign({1, 0, 1}, 0, assignment);
  EXPECT_EQ(server.upload_bits(assignment), 0U);
}

TEST(FedOmd, NoRateOfAnyGridGivesNaN) {
  for (const auto constraint : {Constraint::ball, Constraint::box}) {
    for (const double radius : {1.0, std::numeric_limits<double>::infinity()}) {
      expect_no_nan_in_any_grid<FedOmd>(
          one_space(Space{.radius = radius, .constraint = constraint}));
    }
  }
}

TEST(FedOmd, ADivergingModelIsSeenInTheForecasts) { expect_divergence_is_seen<FedOmd>(); }

}  // namespace
}  // namespace caucus::conformance
