#include "caucus/algorithms/conformance.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "caucus/core/vector.hpp"

namespace caucus::conformance {
namespace {

// Misuse must not compile: a raw vector is not a probability vector, and predict has no place for
// y.
static_assert(!std::is_constructible_v<Simplex, std::vector<double>>);
template <class A>
concept PredictTakesTheTarget = requires(const A& shared, NoMemory& memory,
                                         const Assignment& assignment, std::span<const float> x,
                                         double y, Forecast& forecast) {
  shared.predict(memory, assignment, x, y, forecast);
};
static_assert(!PredictTakesTheTarget<FomdOms>);

template <class A>
class Conformance : public testing::Test {};

using Algorithms = testing::Types<FomdOms, NcoOms>;

class Names {
 public:
  template <class A>
  static std::string GetName(int) {
    return std::is_same_v<A, FomdOms> ? "FomdOms" : "NcoOms";
  }
};

TYPED_TEST_SUITE(Conformance, Algorithms, Names);

std::vector<Loss> all_losses() {
  return {Loss(SquareLoss{}), Loss(AbsoluteLoss{}), Loss(HuberLoss{}), Loss(LogisticLoss{}),
          Loss(HingeLoss{}),  Loss(PinballLoss{}),  Loss(LinearLoss{})};
}

template <class A>
void expect_valid(const A& server, const Problem& problem) {
  for (std::size_t c = 0; c < Subject<A>::copies(server); ++c) {
    const auto& copy = Subject<A>::copy(server, c);
    double sum = 0.0;
    for (const double p : copy.probabilities().probabilities()) {
      EXPECT_GE(p, 0.0);
      sum += p;
    }
    EXPECT_NEAR(sum, 1.0, 1e-12);
    for (std::size_t i = 0; i < copy.models(); ++i) {
      const Space& space = problem.spaces[i];
      const auto w = copy.weights(i);
      EXPECT_TRUE(std::all_of(w.begin(), w.end(), [](float v) { return std::isfinite(v); }));
      if (space.constraint == Constraint::ball) {
        EXPECT_LE(std::sqrt(squared_norm(w)), space.radius * (1 + 1e-6));
      } else {
        const double side = space.radius / std::sqrt(static_cast<double>(w.size()));
        for (const float v : w) EXPECT_LE(std::abs(static_cast<double>(v)), side * (1 + 1e-6));
      }
    }
  }
}

TYPED_TEST(Conformance, ProbabilitiesStayOnTheSimplexAndModelsInTheirSets) {
  for (const Loss& loss : all_losses()) {
    Problem problem;
    problem.loss = loss;
    problem.lambda = 3.0;  // large enough for every projection to be needed
    auto server = Subject<TypeParam>::make(problem);
    play_all(server, problem);
    SCOPED_TRACE(loss.name());
    expect_valid(server, problem);
  }
}

TYPED_TEST(Conformance, SameSeedGivesTheSameRunBitForBit) {
  const Problem problem;
  auto first = Subject<TypeParam>::make(problem);
  auto second = Subject<TypeParam>::make(problem);
  play_all(first, problem);
  play_all(second, problem);
  EXPECT_EQ(state_of(first), state_of(second));
}

TYPED_TEST(Conformance, AnotherSeedGivesAnotherRun) {
  Problem problem;
  auto first = Subject<TypeParam>::make(problem);
  play_all(first, problem);
  problem.repetition = 1;
  auto second = Subject<TypeParam>::make(problem);
  play_all(second, problem);
  EXPECT_NE(state_of(first), state_of(second));
}

TYPED_TEST(Conformance, TheOrderOfReportsMattersOnlyInRounding) {
  const Problem problem;
  auto first = Subject<TypeParam>::make(problem);
  auto second = Subject<TypeParam>::make(problem);
  std::vector<std::uint32_t> shuffled = {3, 0, 4, 2, 1};
  for (std::uint32_t r = 1; r <= problem.rounds; ++r) {
    play(first, problem, {r, r - 1, r}, in_order(problem.clients));
    play(second, problem, {r, r - 1, r}, shuffled);
  }
  const auto a = state_of(first);
  const auto b = state_of(second);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], 1e-5);
}

TYPED_TEST(Conformance, HoldingAllModelsIsFullInformationWhateverTheDraws) {
  Problem problem;
  problem.spaces = {Space{.radius = 0.5}, Space{.radius = 1.0}};  // no random features
  problem.sampled = problem.spaces.size();
  auto first = Subject<TypeParam>::make(problem);
  play_all(first, problem);
  problem.seed = 12345;
  auto second = Subject<TypeParam>::make(problem);
  play_all(second, problem);
  EXPECT_EQ(state_of(first), state_of(second));
}

TYPED_TEST(Conformance, ABatchWithoutReportsChangesNothing) {
  const Problem problem;
  auto server = Subject<TypeParam>::make(problem);
  play_all(server, problem);
  const auto before = state_of(server);
  play(server, problem, {99, 0, 1}, {});
  EXPECT_EQ(state_of(server), before);
}

TYPED_TEST(Conformance, AClientThatStaysAwayDoesNotStopTheOthers) {
  const Problem problem;
  auto server = Subject<TypeParam>::make(problem);
  for (std::uint32_t r = 1; r <= problem.rounds; ++r) {
    play(server, problem, {r, r - 1, r}, {0, 2, 4});
  }
  expect_valid(server, problem);
  EXPECT_NE(state_of(server), state_of(Subject<TypeParam>::make(problem)));
}

TYPED_TEST(Conformance, StaysFiniteUnderExtremeInput) {
  for (const float scale : {1e-30F, 1e10F, 1e30F, 3e38F}) {
    for (const Loss& loss : all_losses()) {
      Problem problem;
      problem.scale = scale;
      problem.loss = loss;
      problem.eta = 100.0;
      problem.spaces.front().radius = std::numeric_limits<double>::infinity();
      auto server = Subject<TypeParam>::make(problem);
      play_all(server, problem);
      SCOPED_TRACE(loss.name() + " at " + std::to_string(scale));
      expect_valid(server, problem);
    }
  }
}

TYPED_TEST(Conformance, BatchesOfOneAreTheSameAsNoBatches) {
  const Problem problem;
  auto batched = Subject<TypeParam>::make(problem);
  auto single = Subject<TypeParam>::make(problem);
  play_all(batched, problem, 1);
  for (std::uint32_t r = 1; r <= problem.rounds; ++r) {
    play(single, problem, {r, r - 1, r}, in_order(problem.clients));
  }
  EXPECT_EQ(state_of(batched), state_of(single));
}

TYPED_TEST(Conformance, TheLastBatchMayBeShorter) {
  Problem problem;
  problem.rounds = 11;
  auto server = Subject<TypeParam>::make(problem);
  play_all(server, problem, 4);
  expect_valid(server, problem);
}

TYPED_TEST(Conformance, LearnsTheProblem) {
  Problem problem;
  problem.rounds = 300;
  problem.eta = 2.0;
  auto server = Subject<TypeParam>::make(problem);
  play_all(server, problem);
  const auto model = learned_by(AnyAlgorithm(server));
  const auto settings = problem.settings();
  Predictor predict(settings->plan->maps, model);
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
  Problem problem;
  problem.spaces.resize(1);
  problem.sampled = 1;
  auto server = Subject<TypeParam>::make(problem);
  play_all(server, problem);
  expect_valid(server, problem);
  EXPECT_EQ(state_of(server).front(), 1.0);
}

}  // namespace
}  // namespace caucus::conformance
