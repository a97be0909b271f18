#include "caucus/algorithms/baselines/fedposgd.hpp"

#include <gtest/gtest.h>

#include "caucus/algorithms/baselines/baseline_reference_test.hpp"

namespace caucus::conformance {
namespace {

/// u, straight from its definition.
Vector unit_vector(const Problem& problem, std::uint32_t client, std::size_t t, std::size_t d) {
  Stream stream(
      {problem.seed, Purpose::client, problem.repetition, static_cast<std::uint32_t>(t), client});
  Vector u;
  for (std::size_t k = 0; k < d; ++k) u.push_back(stream.normal());
  const double norm = std::sqrt(product(u, u));
  for (double& value : u) value /= norm;
  return u;
}

void expect_described_fedposgd(const Problem& problem, std::size_t per_batch,
                               const std::vector<std::uint32_t>& reporting) {
  FedPosgd server(problem.baseline_settings());
  Clients<FedPosgd> clients(problem);
  const auto plan = problem.plan();
  const Space& space = problem.spaces[0];
  const std::size_t d = plan->maps.dimension(0);
  Vector mean(d, 0.0);
  Vector forecasts;
  bool projected = false;
  for (Batch batch{1, 0, per_batch}; batch.first < problem.rounds;
       batch = {batch.number + 1, batch.last, batch.last + per_batch}) {
    play(server, problem, batch, reporting, clients);
    Vector sum(d, 0.0);
    for (const auto j : reporting) {
      Vector w = mean;
      for (std::size_t s = batch.first; s < batch.last; ++s) {
        const auto t = static_cast<double>(s + 1);
        const double delta = problem.exploration / std::sqrt(std::sqrt(t));
        const double eta = problem.lambda * delta / (static_cast<double>(d) * std::sqrt(t));
        const Vector u = unit_vector(problem, j, s + 1, d);
        const double norm = std::sqrt(product(w, w));
        const double side = space.radius / std::sqrt(static_cast<double>(d));
        Vector point;
        for (std::size_t k = 0; k < d; ++k) {
          const double inside = space.constraint == Constraint::ball
                                    ? w[k] * std::min(1.0, space.radius / norm)
                                    : std::clamp(w[k], -side, side);
          projected = projected || std::abs(inside - w[k]) > 1e-3;
          point.push_back(inside + delta * u[k]);
        }
        const PlainExample e = plain_example(problem, plan->maps, j, s);
        forecasts.push_back(product(point, e.z[0]));
        const double loss = (forecasts.back() - e.y) * (forecasts.back() - e.y);
        for (std::size_t k = 0; k < d; ++k) {
          w[k] -= eta * (static_cast<double>(d) / delta) * loss * u[k];
        }
      }
      for (std::size_t k = 0; k < d; ++k) sum[k] += w[k] / static_cast<double>(reporting.size());
    }
    mean = sum;
  }
  EXPECT_TRUE(projected) << "the test must need the projection";
  ASSERT_EQ(clients.forecasts.size(), forecasts.size());
  for (std::size_t t = 0; t < forecasts.size(); ++t) {
    EXPECT_NEAR(clients.forecasts[t], forecasts[t], 1e-5) << t;
  }
}

TEST(FedPosgd, IsWhatItsDescriptionSaysOnABall) {
  expect_described_fedposgd(one_space(Space{.radius = 0.1}), 1, in_order(5));
}

TEST(FedPosgd, IsWhatItsDescriptionSaysOnABox) {
  const Space space{
      .kind = SpaceKind::gaussian, .radius = 0.1, .constraint = Constraint::box, .features = 4};
  expect_described_fedposgd(one_space(space), 1, in_order(5));
}

TEST(FedPosgd, InBatchesClientsMoveEveryRoundAndMeetAtTheEnds) {
  expect_described_fedposgd(one_space(Space{.radius = 0.1, .intercept = true}), 4, {0, 2, 3});
}

/// The estimates that many clients make in round 16 at the point w, where delta = exploration / 2.
Matrix estimates(const Problem& problem, const std::vector<float>& w, const TestExample& example,
                 std::uint32_t clients) {
  const FedPosgd server(problem.baseline_settings());
  auto forecast = server.new_forecast();
  const auto d = static_cast<double>(w.size());
  const double eta = problem.lambda * 0.5 * problem.exploration / (d * 4.0);
  Matrix all;
  for (std::uint32_t j = 0; j < clients; ++j) {
    FedPosgd::Assignment assignment;
    assignment.client = j;
    assignment.batch = {16, 15, 16};
    assignment.held = {{0, w}};
    FedPosgd::ClientState memory;
    FedPosgd::BatchMean batch;
    batch.begin(assignment);
    server.predict(memory, assignment, example.x, forecast);
    server.report(memory, forecast, example.y, batch);
    ReportBatch report;
    batch.report(report);
    Vector& g = all.emplace_back();
    for (std::size_t k = 0; k < w.size(); ++k) {
      const double moved = static_cast<double>(w[k]) - static_cast<double>(report.directions[0][k]);
      g.push_back(moved / eta);
    }
  }
  return all;
}

/// Mean of coordinate k within 4.5 standard errors of the gradient.
void expect_mean(const Matrix& all, const Vector& gradient, double largest_error) {
  for (std::size_t k = 0; k < gradient.size(); ++k) {
    double sum = 0.0;
    double squares = 0.0;
    for (const Vector& g : all) {
      sum += g[k];
      squares += g[k] * g[k];
    }
    const auto n = static_cast<double>(all.size());
    const double error = std::sqrt((squares / n - sum / n * sum / n) / n);
    EXPECT_NEAR(sum / n, gradient[k], 4.5 * error) << k;
    EXPECT_LT(error, largest_error) << "too few draws to see a bias";
  }
}

TEST(FedPosgd, TheEstimateIsTheGradientOfTheSmoothedLoss) {
  // A quadratic smoothed over a ball is the quadratic plus a constant: the gradient stays.
  const Problem problem = one_space(Space{.radius = 5.0});
  const std::vector<float> w = {0.4F, -0.7F, 0.2F};
  const TestExample example{{0.5F, -0.3F, 0.9F}, 1.5};
  const double residual = 0.4 * 0.5 + 0.7 * 0.3 + 0.2 * 0.9 - 1.5;
  expect_mean(estimates(problem, w, example, 200000),
              {2.0 * residual * 0.5, -2.0 * residual * 0.3, 2.0 * residual * 0.9}, 0.02);
}

TEST(FedPosgd, TheEstimateOfALinearLossIsItsSlope) {
  Problem problem = one_space(Space{.radius = 5.0});
  problem.loss = Loss(LinearLoss{});
  const TestExample example{{0.5F, -0.3F, 0.9F}, 1.0};
  expect_mean(estimates(problem, {0.4F, -0.7F, 0.2F}, example, 200000), {-0.5, 0.3, -0.9}, 0.02);
}

TEST(FedPosgd, InOneDimensionTheEstimateIsADifferenceQuotient) {
  // The kink at w = 1 lies between w - delta and w + delta, so the smoothing is seen.
  Problem problem = one_space(Space{.radius = 5.0});
  problem.inputs = 1;
  problem.loss = Loss(AbsoluteLoss{});
  const double delta = 0.25;  // 0.5 * 16^(-1/4)
  const double w = 0.9;
  const auto loss = [](double point) { return std::abs(2.0 * point - 2.0); };
  double sum = 0.0;
  const Matrix all = estimates(problem, {0.9F}, TestExample{{2.0F}, 2.0}, 20000);
  for (const Vector& g : all) {
    const double expected = g[0] > 0.0 ? loss(w + delta) / delta : -loss(w - delta) / delta;
    EXPECT_NEAR(g[0], expected, 1e-4);
    sum += g[0];
  }
  const double quotient = (loss(w + delta) - loss(w - delta)) / (2.0 * delta);
  EXPECT_NEAR(sum / 20000.0, quotient, 4.5 * 2.8 / std::sqrt(20000.0));
}

TEST(FedPosgd, DirectionsAreUniformOnTheSphere) {
  Vector sum(3, 0.0);
  Matrix moments(3, Vector(3, 0.0));
  constexpr std::uint32_t kDraws = 40000;
  for (std::uint32_t draw = 0; draw < kDraws; ++draw) {
    Stream stream({3, Purpose::client, 0, draw, 0});
    std::vector<float> u(3);
    draw_direction(stream, u);
    const Vector v(u.begin(), u.end());
    EXPECT_NEAR(product(v, v), 1.0, 1e-6);
    for (std::size_t k = 0; k < 3; ++k) {
      sum[k] += v[k] / kDraws;
      for (std::size_t l = 0; l < 3; ++l) moments[k][l] += v[k] * v[l] / kDraws;
    }
  }
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_NEAR(sum[k], 0.0, 4.5 * std::sqrt(1.0 / 3.0 / kDraws));
    for (std::size_t l = 0; l < 3; ++l) EXPECT_NEAR(moments[k][l], k == l ? 1.0 / 3.0 : 0.0, 7e-3);
  }
}

TEST(FedPosgd, TheLearnedModelIsProjectedHoweverFarTheMeanWent) {
  Problem problem = one_space(Space{.radius = 0.5});
  problem.lambda = 1e25;
  problem.rounds = 2;
  FedPosgd server(problem.baseline_settings());
  play_all(server, problem);
  const auto w = server.learned().weights[0];
  const Vector model(w.begin(), w.end());
  EXPECT_NEAR(std::sqrt(product(model, model)), 0.5, 1e-6);
}

TEST(FedPosgd, SendsOneModelUpAndDown) {
  const Problem problem = one_space(Space{.intercept = true});
  const FedPosgd server(problem.baseline_settings());
  FedPosgd::Assignment assignment;
  server.assign({1, 0, 1}, 0, assignment);
  EXPECT_EQ(server.upload_bits(assignment), 32U * 4);
  EXPECT_EQ(server.download_bits(assignment), 32U * 4);
}

TEST(FedPosgd, NoRateOfAnyGridGivesNaN) {
  for (const auto constraint : {Constraint::ball, Constraint::box}) {
    for (const double radius : {1.0, std::numeric_limits<double>::infinity()}) {
      expect_no_nan_in_any_grid<FedPosgd>(
          one_space(Space{.radius = radius, .constraint = constraint}));
    }
  }
}

TEST(FedPosgd, ADivergingModelIsSeenInTheForecasts) { expect_divergence_is_seen<FedPosgd>(); }

TEST(FedPosgd, AFrozenExpertForecastsAlone) {
  const Problem problem =
      one_space(Space{.kind = SpaceKind::expert, .function = [](auto) { return 0.25F; }});
  FedPosgd server(problem.baseline_settings());
  for (const double forecast : play_all(server, problem)) EXPECT_EQ(forecast, 0.25);
}

}  // namespace
}  // namespace caucus::conformance
