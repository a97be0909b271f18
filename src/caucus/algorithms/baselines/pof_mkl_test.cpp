#include "caucus/algorithms/baselines/pof_mkl.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>

#include "caucus/algorithms/baselines/baseline_reference_test.hpp"
#include "caucus/core/losses/bounds.hpp"

namespace caucus::conformance {
namespace {

/// POF-MKL once more, as its description says, in doubles.
class PlainPofMkl {
 public:
  PlainPofMkl(const Problem& problem, PofMklVariant variant)
      : problem_(problem),
        variant_(variant),
        plan_(problem.plan()),
        K_(plan_->maps.size()),
        theta(zero_models(plan_->maps)),
        log_v_(problem.clients, Vector(K_, 0.0)) {}

  void batch(const Batch& batch) {
    Matrix step = zero_models(plan_->maps);
    for (std::uint32_t j = 0; j < problem_.clients; ++j) client(j, batch, step);
    for (std::size_t i = 0; i < K_; ++i) {
      for (std::size_t k = 0; k < step[i].size(); ++k) {
        theta[i][k] -= problem_.lambda * step[i][k] / static_cast<double>(problem_.clients);
      }
    }
  }

  [[nodiscard]] Vector mean_weights() const {
    Vector mean(K_, 0.0);
    for (const Vector& log_v : log_v_) {
      const Vector v = softmax(log_v);
      for (std::size_t i = 0; i < K_; ++i) mean[i] += v[i] / static_cast<double>(log_v_.size());
    }
    return mean;
  }

 private:
  void client(std::uint32_t j, const Batch& batch, Matrix& step) {
    std::vector<std::size_t> bin;
    double mass = 0.0;
    const auto length = static_cast<double>(batch.last - batch.first);
    for (std::size_t t = batch.first; t < batch.last; ++t) {
      const PlainExample e = plain_example(problem_, plan_->maps, j, t);
      Vector f;
      const Vector before = softmax(log_v_[j]);
      forecasts.push_back(0.0);
      for (std::size_t i = 0; i < K_; ++i) {
        f.push_back(product(theta[i], e.z[i]));
        forecasts.back() += before[i] * f[i];
      }
      for (std::size_t i = 0; i < K_; ++i) {
        log_v_[j][i] -= problem_.eta * ((f[i] - e.y) * (f[i] - e.y) +
                                        problem_.regularization * product(theta[i], theta[i]));
      }
      if (t == batch.first) draw(softmax(log_v_[j]), j, batch.number, bin, mass);
      for (const std::size_t i : bin) {
        const Vector& z = variant_ == PofMklVariant::correct ? e.z[i] : e.z[K_ - 1];
        for (std::size_t k = 0; k < z.size(); ++k) {
          step[i][k] += (2.0 * (f[i] - e.y) * z[k] + 2.0 * problem_.regularization * theta[i][k]) /
                        (mass * length);
        }
      }
    }
  }

  void draw(const Vector& v, std::uint32_t j, std::uint32_t round, std::vector<std::size_t>& bin,
            double& mass) const {
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t i = 0; i < K_; ++i) order.emplace_back(-v[i], i);
    std::sort(order.begin(), order.end());
    const std::size_t J = problem_.sample_size;
    const std::size_t bins = K_ / J + (K_ % J != 0 ? 1 : 0);
    Vector u(bins, 0.0);
    for (std::size_t k = 0; k < K_; ++k) {
      u[k / J] += (1.0 - problem_.exploration) * v[order[k].second];
    }
    for (double& value : u) value += problem_.exploration / static_cast<double>(bins);
    Stream stream({problem_.seed, Purpose::client, problem_.repetition, round, j});
    const std::size_t b = quantile(u, stream.uniform());
    mass = u[b];
    for (std::size_t k = b * J; k < std::min(K_, (b + 1) * J); ++k) bin.push_back(order[k].second);
  }

  Problem problem_;
  PofMklVariant variant_;
  std::shared_ptr<const Plan> plan_;
  std::size_t K_;

 public:
  Matrix theta;
  Vector forecasts;

 private:
  Matrix log_v_;
};

Problem kernels() {
  Problem problem;
  problem.spaces.clear();
  for (const double width : {0.5, 1.0, 2.0, 4.0, 8.0}) {
    problem.spaces.push_back(Space{.kind = SpaceKind::gaussian, .width = width, .features = 6});
  }
  problem.rounds = 40;
  problem.eta = 1.5;
  return problem;
}

void expect_described_pof_mkl(const Problem& problem, PofMklVariant variant,
                              std::size_t per_batch) {
  PofMkl server(problem.baseline_settings(), variant);
  const Vector forecasts = play_all(server, problem, per_batch);
  PlainPofMkl plain(problem, variant);
  Batch batch{0, 0, 0};
  while (batch.last < problem.rounds) {
    batch = {batch.number + 1, batch.last, std::min(batch.last + per_batch, problem.rounds)};
    plain.batch(batch);
  }
  EXPECT_GT(largest_weight(server.learned()), 0.1);
  EXPECT_LT(distance(server.learned(), plain.mean_weights(), plain.theta), 1e-4);
  ASSERT_EQ(forecasts.size(), plain.forecasts.size());
  for (std::size_t t = 0; t < forecasts.size(); ++t) {
    EXPECT_NEAR(forecasts[t], plain.forecasts[t], 1e-4) << t;
  }
}

TEST(PofMkl, IsWhatItsDescriptionSays) {
  expect_described_pof_mkl(kernels(), PofMklVariant::correct, 1);
}

TEST(PofMkl, InBatchesKeepsThetaAndTheBinAndSendsTheMean) {
  expect_described_pof_mkl(kernels(), PofMklVariant::correct, 3);
}

TEST(PofMkl, MixesSpacesOfDifferentDimensions) {
  Problem problem;
  problem.rounds = 40;
  expect_described_pof_mkl(problem, PofMklVariant::correct, 1);
}

TEST(PofMkl, AsPublishedTakesTheFeaturesOfTheLastKernelForEveryGradient) {
  expect_described_pof_mkl(kernels(), PofMklVariant::as_published, 1);
}

TEST(PofMkl, AsPublishedDiffersFromTheCorrectOneInAllKernelsButTheLast) {
  Problem problem = kernels();
  problem.rounds = 1;
  problem.sample_size = problem.spaces.size();
  PofMkl correct(problem.baseline_settings());
  PofMkl published(problem.baseline_settings(), PofMklVariant::as_published);
  play_all(correct, problem);
  play_all(published, problem);
  const auto a = correct.learned().weights;
  const auto b = published.learned().weights;
  for (std::size_t i = 0; i + 1 < a.size(); ++i) {
    EXPECT_NE(a[i], b[i]);
    EXPECT_EQ(b[i], b.back()) << "with theta = 0 all kernels get the same gradient";
  }
  EXPECT_EQ(a.back(), b.back());
}

TEST(PofMkl, WithOneKernelIsOnlineGradientDescent) {
  Problem problem = kernels();
  problem.spaces.resize(1);
  problem.sample_size = 1;
  expect_described_pof_mkl(problem, PofMklVariant::correct, 1);
}

TEST(PofMkl, BinsGoByFallingWeightAndTheLastMayBeSmaller) {
  const auto v = Simplex::from_log_weights(
      {std::log(0.1), std::log(0.3), std::log(0.15), std::log(0.3), std::log(0.15)});
  const auto bins = kernel_bins(v, 2, 0.25);
  ASSERT_EQ(bins.size(), 3U);
  EXPECT_EQ(bins[0].spaces, (std::vector<std::uint32_t>{1, 3}));
  EXPECT_EQ(bins[1].spaces, (std::vector<std::uint32_t>{2, 4}));
  EXPECT_EQ(bins[2].spaces, (std::vector<std::uint32_t>{0}));
  EXPECT_NEAR(bins[0].probability, 0.75 * 0.6 + 0.25 / 3.0, 1e-12);
  EXPECT_NEAR(bins[1].probability, 0.75 * 0.3 + 0.25 / 3.0, 1e-12);
  EXPECT_NEAR(bins[2].probability, 0.75 * 0.1 + 0.25 / 3.0, 1e-12);
}

/// What one client reports for the next example, whichever bin it draws: by bin, with the number of
/// times it was drawn.
struct Drawn {
  ReportBatch report;
  int times = 0;
};
std::map<std::vector<std::uint32_t>, Drawn> draw_often(PofMkl& server, const Problem& problem,
                                                       const PofMkl::ClientState& memory,
                                                       std::uint32_t draws) {
  std::map<std::vector<std::uint32_t>, Drawn> seen;
  auto forecast = server.new_forecast();
  PofMkl::Assignment assignment;
  PofMkl::BatchMean mean;
  const TestExample example = problem.example(0, 999);
  for (std::uint32_t draw = 0; draw < draws; ++draw) {
    PofMkl::ClientState copy = memory;
    server.assign({1000 + draw, 999, 1000}, 0, assignment);
    mean.begin(assignment);
    server.predict(copy, assignment, example.x, forecast);
    server.report(copy, forecast, example.y, mean);
    ReportBatch report;
    mean.report(report);
    Drawn& drawn = seen[report.spaces];
    drawn.report = report;  // with its own copy of what lies in the memory of the client
    ++drawn.times;
  }
  return seen;
}

TEST(PofMkl, TheGradientEstimateIsUnbiasedByEnumerationOfTheBins) {
  Problem problem = kernels();
  problem.eta = 10.0;  // so that the bins differ
  PofMkl server(problem.baseline_settings());
  Clients<PofMkl> clients(problem);
  for (std::uint32_t r = 1; r <= 20; ++r) {
    play(server, problem, {r, r - 1, r}, in_order(problem.clients), clients);
  }
  constexpr std::uint32_t kDraws = 20000;
  const auto seen = draw_often(server, problem, clients.memory[0], kDraws);
  ASSERT_EQ(seen.size(), 3U);

  const auto plan = problem.plan();
  const PlainExample e = plain_example(problem, plan->maps, 0, 999);
  const auto theta = server.learned().weights;
  Vector log_v;
  for (std::size_t i = 0; i < theta.size(); ++i) {
    const Vector model(theta[i].begin(), theta[i].end());
    const double residual = product(model, e.z[i]) - e.y;
    log_v.push_back(std::log(clients.memory[0].v[i]) -
                    problem.eta *
                        (residual * residual + problem.regularization * product(model, model)));
  }
  const Vector v = softmax(log_v);
  double total = 0.0;
  for (const auto& [bin, drawn] : seen) {
    double chance = problem.exploration / 3.0;
    for (const auto i : bin) chance += (1.0 - problem.exploration) * v[i];
    total += chance;
    EXPECT_NEAR(drawn.times / static_cast<double>(kDraws), chance,
                4.5 * std::sqrt(chance * (1.0 - chance) / kDraws));
    // Every kernel is in one bin: its expectation is the chance of that bin times what is sent.
    std::size_t m = 0;
    for (const auto i : bin) {
      const auto sent = drawn.report.direction(m++);
      const Vector model(theta[i].begin(), theta[i].end());
      const double residual = product(model, e.z[i]) - e.y;
      for (std::size_t k = 0; k < model.size(); ++k) {
        EXPECT_NEAR(chance * static_cast<double>(sent[k]),
                    2.0 * residual * e.z[i][k] + 2.0 * problem.regularization * model[k], 1e-5);
      }
    }
  }
  EXPECT_NEAR(total, 1.0, 1e-9);
}

TEST(PofMkl, SendsOneBinUpAndAllModelsDown) {
  const Problem problem = kernels();  // K = 5 kernels of 12 coordinates
  PofMkl server(problem.baseline_settings());
  PofMkl::Assignment assignment;
  server.assign({1, 0, 1}, 0, assignment);
  EXPECT_EQ(server.download_bits(assignment), 32U * 5 * 12);
  EXPECT_EQ(server.upload_bits(assignment), 32U * 2 * 12 + 2 * 3);
  ReportBatch report;
  report.add_report(0, 1);
  report.add_model(4, 0.0F, 12);
  EXPECT_EQ(server.upload_bits(report), 32U * 12 + 3);
}

TEST(PofMkl, AFrozenExpertHasNothingToLearn) {
  Problem problem = kernels();
  problem.spaces.resize(2);
  problem.spaces.push_back(Space{.kind = SpaceKind::expert, .function = [](auto) { return 0.5F; }});
  PofMkl server(problem.baseline_settings());
  play_all(server, problem);
  EXPECT_TRUE(server.learned().weights[2].empty());
  EXPECT_GT(server.selection()[2], 0.0);
}

TEST(PofMkl, NoRateOfAnyGridGivesNaN) { expect_no_nan_in_any_grid<PofMkl>(); }

TEST(PofMkl, ADivergingModelIsSeenInTheForecasts) { expect_divergence_is_seen<PofMkl>(); }

}  // namespace
}  // namespace caucus::conformance
