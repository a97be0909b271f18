#include "caucus/algorithms/test_conformance.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "caucus/core/base/vector.hpp"

namespace caucus::conformance {
namespace {

// Misuse must not compile: a raw vector is not a probability vector, and predict has no place for
// y.
static_assert(!std::is_constructible_v<Simplex, std::vector<double>>);
template <class A>
concept PredictTakesTheTarget = requires(const A& shared, typename A::ClientState& memory,
                                         const typename A::Assignment& assignment,
                                         std::span<const float> x, double y,
                                         typename A::Forecast& forecast) {
  shared.predict(memory, assignment, x, y, forecast);
};
static_assert(!PredictTakesTheTarget<FomdOms> && !PredictTakesTheTarget<PofMkl>);

template <class A>
class Conformance : public testing::Test {};

using Subjects =
    testing::Types<FomdOms, SharingFomdOms, NcoOms, FirstOrderOms, SharingFirstOrder, NcoFirstOrder,
                   StatisticsOms, SharingStatistics, ReferenceStatistics, NcoStatistics, PofMkl,
                   EmKofl, VmKofl, PmKofl, FedOmd, FedPosgd>;

class Names {
 public:
  template <class A>
  static std::string GetName(int) {
    return Subject<A>::kName;
  }
};

TYPED_TEST_SUITE(Conformance, Subjects, Names);

std::vector<Loss> all_losses() {
  return {Loss(SquareLoss{}), Loss(AbsoluteLoss{}), Loss(HuberLoss{}), Loss(LogisticLoss{}),
          Loss(HingeLoss{}),  Loss(PinballLoss{}),  Loss(LinearLoss{})};
}

void expect_distribution(const std::vector<double>& p) {
  double sum = 0.0;
  for (const double value : p) {
    EXPECT_GE(value, 0.0);
    sum += value;
  }
  EXPECT_NEAR(sum, 1.0, 1e-12);
}

void expect_inside(const Space& space, std::span<const float> w) {
  if (space.constraint == Constraint::ball) {
    EXPECT_LE(std::sqrt(squared_norm(w)), space.radius * (1 + 1e-6));
  } else {
    const double side = space.radius / std::sqrt(static_cast<double>(w.size()));
    for (const float v : w) EXPECT_LE(std::abs(static_cast<double>(v)), side * (1 + 1e-6));
  }
}

template <class A>
void expect_valid(const A& server, const Problem& problem) {
  for (const LearnedModel& part : Subject<A>::parts(server)) {
    expect_distribution(part.probabilities);
    ASSERT_EQ(part.weights.size(), problem.spaces.size());
    for (std::size_t i = 0; i < part.weights.size(); ++i) {
      const auto& w = part.weights[i];
      EXPECT_TRUE(std::all_of(w.begin(), w.end(), [](float v) { return std::isfinite(v); }));
      if (!Subject<A>::kModelsStayInTheirSets.exempt_because) {
        expect_inside(problem.spaces[i], w);
      }
    }
  }
}

void expect_finite(const std::vector<double>& forecasts) {
  EXPECT_TRUE(std::all_of(forecasts.begin(), forecasts.end(),
                          [](double v) { return std::abs(v) <= 1e18; }));
}

TYPED_TEST(Conformance, ProbabilitiesStayOnTheSimplexAndModelsInTheirSets) {
  for (const Loss& loss : all_losses()) {
    Problem problem = Subject<TypeParam>::adapt({});
    problem.loss = loss;
    problem.lambda = 3.0;  // large enough for every projection to be needed
    auto server = Subject<TypeParam>::make(problem);
    play_all(server, problem);
    SCOPED_TRACE(loss.name());
    expect_valid(server, problem);
  }
}

TYPED_TEST(Conformance, SameSeedGivesTheSameRunBitForBit) {
  const Problem problem = Subject<TypeParam>::adapt({});
  auto first = Subject<TypeParam>::make(problem);
  auto second = Subject<TypeParam>::make(problem);
  EXPECT_EQ(play_all(first, problem), play_all(second, problem));
  EXPECT_EQ(state_of(first), state_of(second));
}

TYPED_TEST(Conformance, AnotherSeedGivesAnotherRun) {
  Problem problem = Subject<TypeParam>::adapt({});
  auto first = Subject<TypeParam>::make(problem);
  play_all(first, problem);
  problem.repetition = 1;
  auto second = Subject<TypeParam>::make(problem);
  play_all(second, problem);
  EXPECT_NE(state_of(first), state_of(second));
}

TYPED_TEST(Conformance, TheOrderOfReportsMattersOnlyInRounding) {
  const Problem problem = Subject<TypeParam>::adapt({});
  auto first = Subject<TypeParam>::make(problem);
  auto second = Subject<TypeParam>::make(problem);
  Clients<TypeParam> of_first(problem);
  Clients<TypeParam> of_second(problem);
  const std::vector<std::uint32_t> shuffled = {3, 0, 4, 2, 1};
  for (std::uint32_t r = 1; r <= problem.rounds; ++r) {
    play(first, problem, {r, r - 1, r}, in_order(problem.clients), of_first);
    play(second, problem, {r, r - 1, r}, shuffled, of_second);
  }
  const auto a = state_of(first);
  const auto b = state_of(second);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], 1e-5);
}

TYPED_TEST(Conformance, HoldingAllModelsIsFullInformationWhateverTheDraws) {
  if (const char* reason = Subject<TypeParam>::kHoldingAllModelsNeedsNoDraws.exempt_because) {
    GTEST_SKIP() << reason;
  }
  Problem linear;
  linear.spaces = {Space{.radius = 0.5}, Space{.radius = 1.0}};  // no random features
  Problem problem = Subject<TypeParam>::adapt(linear);
  problem.sample_size = problem.spaces.size();
  auto first = Subject<TypeParam>::make(problem);
  play_all(first, problem);
  problem.seed = 12345;
  auto second = Subject<TypeParam>::make(problem);
  play_all(second, problem);
  EXPECT_EQ(state_of(first), state_of(second));
}

TYPED_TEST(Conformance, ABatchWithoutReportsChangesNothing) {
  const Problem problem = Subject<TypeParam>::adapt({});
  auto server = Subject<TypeParam>::make(problem);
  play_all(server, problem);
  const auto before = state_of(server);
  Clients<TypeParam> clients(problem);
  play(server, problem, {99, 0, 1}, {}, clients);
  EXPECT_EQ(state_of(server), before);
}

TYPED_TEST(Conformance, AClientThatStaysAwayDoesNotStopTheOthers) {
  const Problem problem = Subject<TypeParam>::adapt({});
  auto server = Subject<TypeParam>::make(problem);
  Clients<TypeParam> clients(problem);
  for (std::uint32_t r = 1; r <= problem.rounds; ++r) {
    play(server, problem, {r, r - 1, r}, {0, 2, 4}, clients);
  }
  expect_valid(server, problem);
  EXPECT_NE(state_of(server), state_of(Subject<TypeParam>::make(problem)));
}

TYPED_TEST(Conformance, StaysFiniteUnderExtremeInput) {
  for (const float scale : {1e-30F, 1e10F, 1e30F, 3e38F}) {
    for (const Loss& loss : all_losses()) {
      Problem problem = Subject<TypeParam>::adapt({});
      problem.scale = scale;
      problem.loss = loss;
      problem.eta = 100.0;
      problem.spaces.front().radius = std::numeric_limits<double>::infinity();
      auto server = Subject<TypeParam>::make(problem);
      SCOPED_TRACE(loss.name() + " at " + std::to_string(scale));
      expect_finite(play_all(server, problem));
      expect_valid(server, problem);
    }
  }
}

TYPED_TEST(Conformance, BatchesOfOneAreTheSameAsNoBatches) {
  const Problem problem = Subject<TypeParam>::adapt({});
  auto batched = Subject<TypeParam>::make(problem);
  auto single = Subject<TypeParam>::make(problem);
  play_all(batched, problem, 1);
  Clients<TypeParam> clients(problem);
  for (std::uint32_t r = 1; r <= problem.rounds; ++r) {
    play(single, problem, {r, r - 1, r}, in_order(problem.clients), clients);
  }
  EXPECT_EQ(state_of(batched), state_of(single));
}

TYPED_TEST(Conformance, TheLastBatchMayBeShorter) {
  Problem problem = Subject<TypeParam>::adapt({});
  problem.rounds = 11;
  auto server = Subject<TypeParam>::make(problem);
  play_all(server, problem, 4);
  expect_valid(server, problem);
}

TYPED_TEST(Conformance, LearnsTheProblem) {
  Problem problem = Subject<TypeParam>::adapt({});
  problem.rounds = Subject<TypeParam>::kRoundsToLearn;
  problem.eta = 2.0;
  auto server = Subject<TypeParam>::make(problem);
  play_all(server, problem);
  const LearnedModel model = Subject<TypeParam>::learned(server);
  const auto plan = problem.plan();
  Predictor predict(plan->maps, plan->loss, model);
  double error = 0.0;
  double spread = 0.0;
  for (std::uint32_t t = 0; t < 200; ++t) {
    const TestExample example = problem.example(77, t);
    error += std::pow(predict(example.x) - example.y, 2);
    spread += std::pow(0.5 - example.y, 2);  // 0.5 is the mean of y
  }
  EXPECT_LT(error, 0.7 * spread);
}

TYPED_TEST(Conformance, OneSpaceIsPlainOnlineLearning) {
  Problem problem = Subject<TypeParam>::adapt({});
  problem.spaces.resize(1);
  problem.sample_size = 1;
  auto server = Subject<TypeParam>::make(problem);
  play_all(server, problem);
  expect_valid(server, problem);
  EXPECT_EQ(state_of(server).front(), 1.0);
}

}  // namespace
}  // namespace caucus::conformance
