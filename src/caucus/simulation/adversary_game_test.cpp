#include "caucus/simulation/adversary_game.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "caucus/data/generators.hpp"
#include "caucus/simulation/experiment.hpp"

namespace caucus {
namespace {

constexpr GameSize kSize{50, 7, 2, 3};

Generator generator_of(GameKind kind, std::uint64_t seed) {
  GeneratorOptions options;
  options.rows = kSize.rounds;
  options.features = kSize.models;
  options.clients = kSize.clients;
  options.sample_size = kSize.sample_size;
  options.seed = seed;
  const bool full = kind == GameKind::any_algorithm;
  return make_generator(full ? "adversary-full" : "adversary-partial", options).value();
}

class AdversaryGameOf : public testing::TestWithParam<GameKind> {};
INSTANTIATE_TEST_SUITE_P(BothGames, AdversaryGameOf,
                         testing::Values(GameKind::any_algorithm, GameKind::noncooperative));

TEST_P(AdversaryGameOf, EveryClientMeetsTheRowsOfTheGenerator) {
  const Generator generator = generator_of(GetParam(), 4);
  const AdversaryGame game(GetParam(), kSize, 4);
  std::vector<float> x(kSize.models);
  float y = 0.0F;
  for (std::size_t round = 0; round < kSize.rounds; ++round) {
    for (std::size_t client = 0; client < kSize.clients; ++client) {
      generator.row(client * kSize.rounds + round, x, y);
      const Example example = game.example(client, round);
      EXPECT_TRUE(std::equal(x.begin(), x.end(), example.x.begin(), example.x.end()));
      EXPECT_EQ(example.y, static_cast<double>(y));
    }
  }
}

TEST_P(AdversaryGameOf, TheBestCoordinateIsThatOfTryingAll) {
  const Generator generator = generator_of(GetParam(), 9);
  const AdversaryGame game(GetParam(), kSize, 9);
  std::vector<double> losses(kSize.models, 0.0);
  std::vector<float> x(kSize.models);
  float y = 0.0F;
  for (std::size_t round = 0; round < kSize.rounds; ++round) {
    for (std::size_t client = 0; client < kSize.clients; ++client) {
      static_cast<void>(game.example(client, round));
    }
    generator.row(round, x, y);
    for (std::size_t i = 0; i < x.size(); ++i) {
      losses[i] += static_cast<double>(GetParam() == GameKind::any_algorithm ? std::abs(x[i] - y)
                                                                             : 1.0F - x[i] * y);
    }
    EXPECT_EQ(game.best_loss(), *std::min_element(losses.begin(), losses.end()));
  }
}

TEST_P(AdversaryGameOf, TheRegretIsThatOfARunOnTheSameRowsFromMemory) {
  constexpr std::uint64_t kSeed = 3;
  for (const char* algorithm : {"fomd-oms", "nco-oms"}) {
    GameSetting setting{GetParam(), kSize, algorithm, {}};
    const double regret = play_game(setting, kSeed, 0).value();

    // Experts as functions that read a feature: the data set of the generator has no experts.
    const Dataset data = generate_dataset(generator_of(GetParam(), kSeed)).value();
    ExperimentOptions options;
    for (std::size_t i = 0; i < kSize.models; ++i) {
      options.spaces.push_back(Space{.kind = SpaceKind::expert,
                                     .function = [i](std::span<const float> x) { return x[i]; }});
    }
    options.algorithms = {algorithm};
    options.loss = loss_of(GetParam());
    options.schedule.kind = ScheduleKind::adaptive_first_order;
    options.clients = kSize.clients;
    options.partition.kind = PartitionSpec::Kind::blocks;
    options.seed = kSeed;
    options.regret = true;
    Progress progress;
    const auto run = run_experiment(data, options, progress);
    ASSERT_TRUE(run.ok()) << run.error().line();
    const auto& regrets = run->results.front().regret;
    EXPECT_NEAR(regret * static_cast<double>(kSize.clients),
                *std::max_element(regrets.begin(), regrets.end()), 1e-9);
  }
}

TEST(AdversaryGame, TheBoundsAreThoseOfTheTheorem) {
  EXPECT_NEAR(game_bound(GameKind::any_algorithm, {10000, 100, 100, 5}),
              0.25 * std::sqrt(10000.0 * std::log(100.0)), 1e-9);
  EXPECT_NEAR(game_bound(GameKind::noncooperative, {40000, 4000, 2, 2000}),
              0.1 * std::sqrt(4000.0 * 40000.0 / 2.0), 1e-9);
}

}  // namespace
}  // namespace caucus
