#include "caucus/algorithms/fomd_oms.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

#include "caucus/algorithms/conformance.hpp"
#include "caucus/core/ball.hpp"
#include "caucus/core/fomd_no_lu.hpp"
#include "caucus/core/vector.hpp"

namespace caucus::conformance {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// FOMD-OMS straight from the paper in doubles, vectors of vectors, features by std::cos and
/// std::sin; only the sampled sets are taken from the implementation under test.
class PaperReference {
 public:
  explicit PaperReference(const Problem& problem)
      : problem_(problem), settings_(problem.settings()), p(problem.spaces.size()) {
    for (std::size_t i = 0; i < p.size(); ++i) {
      p[i] = 1.0 / static_cast<double>(p.size());
      w.emplace_back(settings_->plan->maps.dimension(i), 0.0);
    }
  }

  void round(const std::vector<std::vector<std::uint32_t>>& held, std::uint32_t first,
             std::uint32_t last) {
    const std::size_t K = p.size();
    std::vector<double> c(K, 0.0);
    std::vector<std::vector<double>> g;
    for (const auto& model : w) g.emplace_back(model.size(), 0.0);
    FeatureMaps::Workspace workspace(settings_->plan->maps);
    for (std::uint32_t j = 0; j < held.size(); ++j) {
      for (const std::uint32_t i : held[j]) {
        const double P = ((static_cast<double>(K - problem_.sampled)) * p[i] +
                          static_cast<double>(problem_.sampled) - 1.0) /
                         (static_cast<double>(K) - 1.0);
        const double weight = 1.0 / (static_cast<double>(held.size()) * P * (last - first));
        for (std::uint32_t t = first; t < last; ++t) {
          const TestExample e = problem_.example(j, t);
          workspace.begin(e.x);
          const auto z = settings_->plan->maps.features(i, workspace);
          double v = 0.0;
          for (std::size_t k = 0; k < z.size(); ++k) v += w[i][k] * static_cast<double>(z[k]);
          c[i] += weight * (v - e.y) * (v - e.y);
          for (std::size_t k = 0; k < z.size(); ++k) {
            g[i][k] += weight * 2.0 * (v - e.y) * static_cast<double>(z[k]);
          }
        }
      }
    }
    for (std::size_t i = 0; i < K; ++i) {
      double norm = 0.0;
      for (std::size_t k = 0; k < w[i].size(); ++k) {
        w[i][k] -= problem_.lambda * g[i][k];
        norm += w[i][k] * w[i][k];
      }
      const Space& space = problem_.spaces[i];
      const double side = space.radius / std::sqrt(static_cast<double>(w[i].size()));
      for (double& value : w[i]) {
        value = space.constraint == Constraint::ball
                    ? value * std::min(1.0, space.radius / std::sqrt(norm))
                    : std::clamp(value, -side, side);
      }
    }
    double sum = 0.0;  // all C equal: the closed form
    for (std::size_t i = 0; i < K; ++i) {
      p[i] *= std::exp(-problem_.eta * c[i] / problem_.loss_bound);
      sum += p[i];
    }
    for (double& value : p) value /= sum;
  }

 private:
  Problem problem_;
  std::shared_ptr<const OmsSettings> settings_;

 public:
  std::vector<double> p;
  std::vector<std::vector<double>> w;
};

void expect_follows_the_paper(const Problem& problem, std::uint32_t per_batch) {
  FomdOms server(problem.settings());
  PaperReference reference(problem);
  std::uint32_t number = 0;
  for (std::uint32_t first = 0; first < problem.rounds; first += per_batch) {
    const auto last =
        std::min<std::uint32_t>(first + per_batch, static_cast<std::uint32_t>(problem.rounds));
    const Batch batch{++number, first, last};
    std::vector<std::vector<std::uint32_t>> held;
    Assignment assignment;
    for (std::uint32_t j = 0; j < problem.clients; ++j) {
      server.assign(batch, j, assignment);
      auto& list = held.emplace_back();
      for (const HeldModel& model : assignment.held) list.push_back(model.space);
    }
    play(server, problem, batch, in_order(problem.clients));
    reference.round(held, first, last);
  }
  for (std::size_t i = 0; i < problem.spaces.size(); ++i) {
    EXPECT_NEAR(server.probabilities()[i], reference.p[i], 1e-5);
    for (std::size_t k = 0; k < reference.w[i].size(); ++k) {
      EXPECT_NEAR(static_cast<double>(server.weights(i)[k]), reference.w[i][k], 1e-4);
    }
  }
}

TEST(FomdOms, FollowsThePaperStepByStep) {
  Problem problem;
  problem.rounds = 60;
  for (const std::size_t J : {2U, 3U, 4U}) {
    problem.sampled = J;
    expect_follows_the_paper(problem, 1);
  }
}

TEST(FomdOms, FollowsThePaperWithFewerUploadsAndAShorterLastBatch) {
  Problem problem;
  problem.rounds = 62;
  expect_follows_the_paper(problem, 5);
}

TEST(FomdOms, HoldingAllModelsEqualsTheGeneralFrameworkBitForBit) {
  Problem problem;
  problem.spaces = {Space{.radius = 0.3}, Space{.radius = 1.0}};
  problem.sampled = 2;
  FomdOms server(problem.settings());
  const std::size_t d = problem.inputs;
  FomdNoLu<Ball> small(Ball{0.3}, std::vector<float>(d, 0.0F));
  FomdNoLu<Ball> large(Ball{1.0}, std::vector<float>(d, 0.0F));
  FomdNoLu<WeightedEntropy> p(WeightedEntropy({4.0, 4.0}), Simplex::uniform(2));
  for (std::uint32_t r = 1; r <= 40; ++r) {
    for (std::uint32_t j = 0; j < problem.clients; ++j) {
      const TestExample e = problem.example(j, r - 1);
      std::vector<double> losses;
      for (auto* model : {&small, &large}) {
        const double v = dot(model->decision(), e.x);
        std::vector<float> gradient;
        for (const float x : e.x) gradient.push_back(static_cast<float>(2.0 * (v - e.y)) * x);
        losses.push_back(static_cast<double>(static_cast<float>((v - e.y) * (v - e.y))));
        model->receive(gradient);
      }
      p.receive(losses);
    }
    play(server, problem, {r, r - 1, r}, in_order(problem.clients));
    small.step(problem.lambda);
    large.step(problem.lambda);
    p.step(problem.eta);
    for (std::size_t k = 0; k < d; ++k) {
      ASSERT_EQ(server.weights(0)[k], small.decision()[k]);
      ASSERT_EQ(server.weights(1)[k], large.decision()[k]);
    }
    ASSERT_NEAR(server.probabilities()[0], p.decision()[0], 1e-13);
  }
}

/// Mean and standard error of what is added.
class Average {
 public:
  void add(double value) {
    ++n_;
    const double delta = value - mean_;
    mean_ += delta / n_;
    squares_ += delta * (value - mean_);
  }
  [[nodiscard]] double mean() const { return mean_; }
  [[nodiscard]] double error() const { return std::sqrt(squares_ / (n_ - 1.0) / n_); }

 private:
  double n_ = 0.0, mean_ = 0.0, squares_ = 0.0;
};

/// Averages one step over many draws from the same state. Without constraints the models move by
/// -lambda g and ln(p_i / p_k) by -(eta / C)(c_i - c_k): both are linear in the estimates, so their
/// mean over the draws (and over which reports are lost) must be the step with full information.
void expect_unbiased(std::size_t J, double dropout) {
  Problem problem;
  problem.rounds = 5;
  problem.eta = 8.0;
  for (Space& space : problem.spaces) {
    space.radius = kInfinity;
    space.constraint = Constraint::ball;
  }
  problem.sampled = J;
  FomdOms warm(problem.settings());
  play_all(warm, problem);

  Problem full = problem;
  full.sampled = problem.spaces.size();
  PaperReference exact(full);
  const std::size_t K = exact.p.size();
  for (std::size_t i = 0; i < K; ++i) {
    exact.p[i] = warm.probabilities()[i];
    for (std::size_t k = 0; k < exact.w[i].size(); ++k) {
      exact.w[i][k] = static_cast<double>(warm.weights(i)[k]);
    }
  }
  const auto p_before = exact.p;
  const auto w_before = exact.w;
  exact.round(std::vector<std::vector<std::uint32_t>>(problem.clients, in_order(K)), 5, 6);

  std::vector<Average> ratio(K);
  std::vector<Average> moved(K);
  for (std::uint32_t draw = 0; draw < 150000; ++draw) {
    Stream lost({5, Purpose::dropout, 0, draw, 0});
    std::vector<std::uint32_t> reporting;
    for (std::uint32_t j = 0; j < problem.clients; ++j) {
      if (lost.uniform() >= dropout) reporting.push_back(j);
    }
    if (reporting.empty()) continue;
    FomdOms server = warm;
    // The batch number names the stream of draws; a constant schedule makes no other use of it.
    play(server, problem, {1000 + draw, 5, 6}, reporting);
    const auto log_p = server.probabilities().log_probabilities();
    for (std::size_t i = 0; i < K; ++i) {
      ratio[i].add((log_p[i] - log_p[0]) - std::log(p_before[i] / p_before[0]));
      moved[i].add(static_cast<double>(server.weights(i)[0]) - w_before[i][0]);
    }
  }
  for (std::size_t i = 0; i < K; ++i) {
    const double log_ratio =
        std::log(exact.p[i] / exact.p[0]) - std::log(p_before[i] / p_before[0]);
    EXPECT_NEAR(ratio[i].mean(), log_ratio, 4.5 * ratio[i].error() + 1e-6) << i;
    EXPECT_NEAR(moved[i].mean(), exact.w[i][0] - w_before[i][0], 4.5 * moved[i].error() + 1e-7)
        << i;
    EXPECT_LT(ratio[i].error(), 3e-3) << "too few draws to see a bias";
  }
}

TEST(FomdOms, EstimatesAreUnbiasedForTwoModels) { expect_unbiased(2, 0.0); }
TEST(FomdOms, EstimatesAreUnbiasedForThreeModels) { expect_unbiased(3, 0.0); }
TEST(FomdOms, EstimatesStayUnbiasedWhenReportsAreLost) { expect_unbiased(2, 0.3); }

TEST(FomdOms, DividingByTheHoldersInsteadOfTheReportersWouldBeBiased) {
  // Two clients, three models: model 0 is held by n of them, n random. The mean over holders of a
  // constant loss 1 would be 1 whenever n > 0, and its expectation P[n > 0] / ... differs from 1;
  // the implemented estimate has mean 1 exactly. Exact enumeration over n for P = P_0.
  const double P = inclusion_probability(1.0 / 3.0, 3, 2);
  double implemented = 0.0;
  double by_holders = 0.0;
  for (int n = 0; n <= 2; ++n) {
    const double chance = (n == 1 ? 2.0 : 1.0) * std::pow(P, n) * std::pow(1.0 - P, 2 - n);
    implemented += chance * n / (2.0 * P);
    by_holders += chance * (n > 0 ? 1.0 / P : 0.0);
  }
  EXPECT_NEAR(implemented, 1.0, 1e-12);
  EXPECT_GT(std::abs(by_holders - 1.0), 0.1);
}

TEST(FomdOms, UntouchedModelsKeepTheirWeights) {
  Problem problem;
  problem.clients = 1;
  FomdOms server(problem.settings());
  Assignment assignment;
  for (std::uint32_t r = 1; r <= 30; ++r) {
    const FomdOms before = server;
    server.assign({r, r - 1, r}, 0, assignment);
    play(server, problem, {r, r - 1, r}, {0});
    for (std::uint32_t i = 0; i < 4; ++i) {
      const bool held = std::any_of(assignment.held.begin(), assignment.held.end(),
                                    [&](const HeldModel& m) { return m.space == i; });
      const auto a = before.weights(i);
      const auto b = server.weights(i);
      EXPECT_TRUE(held || std::equal(a.begin(), a.end(), b.begin()));
    }
  }
}

TEST(FomdOms, CommunicationFollowsTheFormula) {
  const Problem problem;  // dimensions 3, 3, 16, 16; K = 4 needs 2 bits per index
  FomdOms server(problem.settings());
  Assignment assignment;
  server.assign({1, 0, 1}, 0, assignment);
  std::size_t floats = 0;
  for (const HeldModel& model : assignment.held) floats += model.space < 2 ? 3 : 16;
  EXPECT_EQ(server.download_bits(assignment), 32 * floats + 2 * 2);
  EXPECT_EQ(server.upload_bits(assignment), 32 * (floats + 2) + 2 * 2);
}

TEST(FomdOms, ImpossibleSettingsAreRefused) {
  Problem problem;
  for (const std::size_t J : {0U, 1U, 5U}) {
    problem.sampled = J;
    EXPECT_FALSE(problem.settings()->validate().ok()) << J;
  }
  problem.sampled = 2;
  EXPECT_TRUE(problem.settings()->validate().ok());
  problem.loss_bound = kInfinity;
  EXPECT_FALSE(problem.settings()->validate().ok());
}

TEST(FomdOms, FrozenExpertsAreSelectedByTheirLoss) {
  Problem problem;
  problem.spaces = {Space{.kind = SpaceKind::expert}, Space{.kind = SpaceKind::expert}};
  problem.spaces[0].function = [](std::span<const float>) { return 5.0F; };
  problem.spaces[1].function = [](std::span<const float>) { return 0.5F; };
  problem.rounds = 60;
  problem.eta = 1.0;
  FomdOms server(problem.settings());
  play_all(server, problem);
  EXPECT_GT(server.probabilities()[1], 0.99);
}

RC_GTEST_PROP(FomdOms, AnyConfigurationKeepsItsInvariants, ()) {
  Problem problem;
  problem.spaces.clear();
  const auto K = *rc::gen::inRange<std::size_t>(2, 12);
  for (std::size_t i = 0; i < K; ++i) {
    const bool kernel = *rc::gen::arbitrary<bool>();
    problem.spaces.push_back(
        Space{.kind = kernel ? SpaceKind::gaussian : SpaceKind::linear,
              .radius = 0.1 + *rc::gen::inRange(0, 30) / 10.0,
              .constraint = *rc::gen::arbitrary<bool>() ? Constraint::ball : Constraint::box,
              .width = 0.5 + static_cast<double>(i),
              .features = 4});
  }
  problem.sampled = *rc::gen::inRange<std::size_t>(2, K + 1);
  problem.clients = *rc::gen::inRange<std::size_t>(1, 7);
  problem.eta = std::pow(10.0, *rc::gen::inRange(-3, 4));
  problem.lambda = std::pow(10.0, *rc::gen::inRange(-3, 3));
  problem.seed = *rc::gen::arbitrary<std::uint64_t>();
  FomdOms server(problem.settings());
  play_all(server, problem, *rc::gen::inRange<std::size_t>(1, 6));
  double sum = 0.0;
  for (const double p : server.probabilities().probabilities()) sum += p;
  RC_ASSERT(std::abs(sum - 1.0) < 1e-12);
  for (std::size_t i = 0; i < K; ++i) {
    const double norm = std::sqrt(squared_norm(server.weights(i)));
    RC_ASSERT(norm <= problem.spaces[i].radius * (1.0 + 1e-6));
  }
}

}  // namespace
}  // namespace caucus::conformance
