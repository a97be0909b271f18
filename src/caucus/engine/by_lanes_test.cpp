#include "caucus/engine/by_lanes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <type_traits>

#include "caucus/algorithms/fomd_oms.hpp"
#include "caucus/engine/local_exchange.hpp"
#include "caucus/engine/test_source.hpp"

namespace caucus {
namespace {

std::vector<Space> linear_spaces(std::size_t models, bool intercept) {
  std::vector<Space> spaces;
  for (std::size_t i = 0; i < models; ++i) {
    spaces.push_back({.radius = 0.2 * static_cast<double>(i + 1), .intercept = intercept});
  }
  return spaces;
}

std::vector<Space> kernels(std::size_t models, std::uint32_t features) {
  std::vector<Space> spaces;
  for (std::size_t i = 0; i < models; ++i) {
    spaces.push_back({.kind = SpaceKind::gaussian,
                      .radius = 1.0,
                      .width = std::exp2(static_cast<double>(i) - 2.0),
                      .features = features});
  }
  return spaces;
}

struct Problem {
  std::string name;
  std::vector<Space> spaces;
  std::size_t sampled = 2;
  Loss loss = {};
  double lambda = 0.3;
  bool theory = false;
};

FomdOms make(const Problem& problem, Layout layout) {
  const std::size_t K = problem.spaces.size();
  auto maps = FeatureMaps::make(problem.spaces, {4, 0}, 1, 0, problem.sampled);
  const auto plan = std::make_shared<const Plan>(Plan{std::move(maps).value(), problem.loss});
  std::vector<double> bounds;
  std::vector<SpaceConstants> constants;
  for (std::size_t i = 0; i < K; ++i) {
    bounds.push_back(std::pow(1.0 + problem.spaces[i].radius, 2));
    constants.push_back({problem.spaces[i].radius, bounds.back(), 2.0 * std::sqrt(bounds.back())});
  }
  Schedule schedule = ConstantSchedule{0.5, problem.lambda, K};
  if (problem.theory) schedule = TheorySchedule({K, problem.sampled, 30.0, 100.0}, constants);
  return FomdOms(std::make_shared<const OmsSettings>(
                     OmsSettings{plan, problem.sampled, schedule, WeightedEntropy(bounds), 1, 0}),
                 layout);
}

struct Played {
  std::vector<double> forecasts, probabilities;
  std::vector<std::vector<float>> weights;
  double squared_error = 0.0;
  std::size_t upload_bits = 0, download_bits = 0;

  bool operator==(const Played&) const = default;
};

template <class Play>
Played play(const Problem& problem, Layout layout, std::size_t per_batch, double dropout) {
  std::vector<std::size_t> lengths(70);
  for (std::size_t j = 0; j < lengths.size(); ++j) lengths[j] = 3 + j % 11;
  const TestSource source(lengths);
  FomdOms server = make(problem, layout);
  Telemetry telemetry(problem.loss, lengths.size());
  Played played;
  const auto note = [&](std::size_t, std::size_t, double output) {
    played.forecasts.push_back(output);
  };
  LocalExchange<FomdOms, TestSource, Play> exchange(server, source, {dropout, 1, 0}, telemetry,
                                                    note);
  play_all(server, exchange, 13, per_batch);
  played.probabilities = server.probabilities().probabilities();
  for (std::size_t i = 0; i < server.models(); ++i) {
    const auto w = server.weights(i);
    played.weights.emplace_back(w.begin(), w.end());
  }
  played.squared_error = telemetry.squared_error;
  played.upload_bits = telemetry.upload_bits;
  played.download_bits = telemetry.download_bits;
  return played;
}

std::vector<Problem> problems() {
  return {{"two of ten", linear_spaces(10, false)},
          {"all of ten", linear_spaces(10, false), 10},
          {"three of sixteen", linear_spaces(16, false), 3},
          {"all of sixteen", linear_spaces(16, false), 16},
          {"two of two", linear_spaces(2, false)},
          {"one", linear_spaces(1, false), 1},
          {"with intercept", linear_spaces(5, true)},
          {"theory", linear_spaces(6, false), 2, {}, 0.0, true},
          {"absolute loss", linear_spaces(7, false), 7, Loss(AbsoluteLoss{})},
          {"logistic loss", linear_spaces(7, false), 2, Loss(LogisticLoss{})},
          {"steps that overflow", linear_spaces(4, false), 4, {}, 1e38}};
}

// The verbs, one example at a time, define what is computed.
TEST(Lanes, GiveTheBitsOfOneExampleAtATime) {
  for (const Problem& problem : problems()) {
    ASSERT_NE(make(problem, Layout::lanes).lanes(), nullptr) << problem.name;
    for (const double dropout : {0.0, 0.2}) {
      const Played expected = play<OneByOne<FomdOms>>(problem, Layout::rows, 1, dropout);
      EXPECT_EQ(play<ByLanesOrTiles<FomdOms>>(problem, Layout::lanes, 1, dropout), expected)
          << problem.name << " " << dropout;
      EXPECT_EQ(play<ByTiles<FomdOms>>(problem, Layout::rows, 1, dropout), expected)
          << problem.name << " " << dropout;
    }
  }
}

// 13 rounds in batches of 4: the last one is a single round, which lanes play.
TEST(Lanes, AndRowsMayTakeTurns) {
  for (const Problem& problem : problems()) {
    EXPECT_EQ(play<ByLanesOrTiles<FomdOms>>(problem, Layout::lanes, 4, 0.2),
              play<OneByOne<FomdOms>>(problem, Layout::rows, 4, 0.2))
        << problem.name;
    EXPECT_EQ(play<OneByOne<FomdOms>>(problem, Layout::lanes, 1, 0.2),
              play<OneByOne<FomdOms>>(problem, Layout::rows, 1, 0.2))
        << problem.name;
  }
}

TEST(Lanes, HoldOnlyFewShortLinearModelsInBalls) {
  const auto can_hold = [](std::vector<Space> spaces, std::size_t features) {
    return ModelLanes::can_hold(FeatureMaps::make(std::move(spaces), {features, 0}, 1, 0).value());
  };
  EXPECT_TRUE(can_hold(linear_spaces(16, false), 64));
  EXPECT_FALSE(can_hold(linear_spaces(17, false), 4));
  EXPECT_FALSE(can_hold(linear_spaces(3, false), 65));
  EXPECT_FALSE(can_hold(linear_spaces(3, true), 64));
  EXPECT_FALSE(can_hold(kernels(3, 40), 4));
  auto with_box = linear_spaces(3, false);
  with_box[1].constraint = Constraint::box;
  EXPECT_FALSE(can_hold(with_box, 4));
  auto mixed = linear_spaces(3, false);
  mixed[1].intercept = true;
  EXPECT_FALSE(can_hold(mixed, 4));
}

// Kernels of one base and nothing else have a way of their own through FeatureTile.
TEST(Tiles, OfKernelsAloneGiveTheBitsOfOneExampleAtATime) {
  for (const std::size_t models : {7U, 8U}) {  // widths that share angles: 4 and 3, twice 4
    for (const std::size_t sampled : {2U, 3U, 5U, 7U, 8U}) {
      if (sampled > models) continue;
      for (const std::uint32_t features : {20U, 50U}) {  // products apart, products with the waves
        const Problem problem{"kernels", kernels(models, features), sampled};
        for (const std::size_t per_batch : {1U, 4U}) {
          EXPECT_EQ(play<ByTiles<FomdOms>>(problem, Layout::rows, per_batch, 0.2),
                    play<OneByOne<FomdOms>>(problem, Layout::rows, per_batch, 0.2))
              << models << " " << sampled << " " << features << " " << per_batch;
        }
      }
    }
  }
}

}  // namespace
}  // namespace caucus
