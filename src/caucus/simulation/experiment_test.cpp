#include "caucus/simulation/experiment.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "caucus/data/generators.hpp"
#include "caucus/simulation/hindsight/comparator.hpp"
#include "caucus/simulation/hindsight/hindsight.hpp"

namespace caucus {
namespace {

Dataset generated(const char* name, std::size_t rows, std::size_t features = 0) {
  GeneratorOptions options;
  options.rows = rows;
  options.features = features;
  auto generator = make_generator(name, options);
  EXPECT_TRUE(generator.ok());
  auto data = generate_dataset(*generator);
  EXPECT_TRUE(data.ok());
  return std::move(data).value();
}

ExperimentOptions options_with(std::vector<Space> spaces) {
  ExperimentOptions options;
  options.spaces = std::move(spaces);
  options.clients = 4;
  options.repeats = 3;
  options.threads = 1;
  return options;
}

std::vector<Space> linear_spaces() {
  std::vector<Space> spaces;
  for (int i = 1; i <= 5; ++i) spaces.push_back(Space{.radius = 0.2 * i});
  return spaces;
}

std::vector<Space> mixed_spaces() {
  auto spaces = linear_spaces();
  for (const double width : {1.0, 4.0}) {
    spaces.push_back(Space{.kind = SpaceKind::gaussian, .width = width, .features = 20});
  }
  spaces.push_back(Space{
      .kind = SpaceKind::laplacian, .constraint = Constraint::box, .width = 4.0, .features = 10});
  return spaces;
}

ExperimentResult run(const Dataset& data, const ExperimentOptions& options) {
  Progress progress;
  auto result = run_experiment(data, options, progress);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().line());
  EXPECT_EQ(progress.done.load(), progress.total.load());
  return std::move(result).value();
}

void expect_same_numbers(const ExperimentResult& a, const ExperimentResult& b) {
  ASSERT_EQ(a.results.size(), b.results.size());
  EXPECT_EQ(a.best_loss, b.best_loss);
  for (std::size_t i = 0; i < a.results.size(); ++i) {
    EXPECT_EQ(a.results[i].mse, b.results[i].mse);
    EXPECT_EQ(a.results[i].loss, b.results[i].loss);
    EXPECT_EQ(a.results[i].clients, b.results[i].clients);
    EXPECT_EQ(a.results[i].probabilities, b.results[i].probabilities);
    EXPECT_EQ(a.results[i].regret, b.results[i].regret);
    EXPECT_EQ(a.results[i].curve.loss, b.results[i].curve.loss);
    EXPECT_EQ(a.results[i].learned.weights, b.results[i].learned.weights);
  }
}

TEST(ExperimentParallel, AnyNumberOfThreadsGivesTheSameNumbers) {
  const Dataset data = generated("linear", 400);
  auto options = options_with(mixed_spaces());
  options.algorithms = {"fomd-oms", "nco-oms"};
  options.repeats = 7;
  options.regret = true;
  const auto one = run(data, options);
  for (const std::size_t threads : {2U, 3U, 16U}) {
    options.threads = threads;
    expect_same_numbers(one, run(data, options));
  }
}

TEST(Experiment, OneRoundPerUploadIsTheDefault) {
  const Dataset data = generated("linear", 400);
  auto options = options_with(mixed_spaces());
  options.schedule.kind = ScheduleKind::adaptive_first_order;
  const auto plain = run(data, options);
  options.rounds_per_upload = 1;
  expect_same_numbers(plain, run(data, options));
  options.rounds_per_upload = 7;
  const auto batched = run(data, options);
  EXPECT_EQ(batched.rounds, 100U);
  EXPECT_EQ(batched.results[0].uploads, 15U);
  EXPECT_NE(batched.results[0].mse, plain.results[0].mse);
  EXPECT_NEAR(batched.results[0].upload_bits_per_client_round * 100 / 15,
              plain.results[0].upload_bits_per_client_round,
              0.35 * plain.results[0].upload_bits_per_client_round);
}

TEST(Experiment, WithJEqualToKOnlyTheForecastsAreRandom) {
  const Dataset data = generated("linear", 400);
  auto options = options_with(linear_spaces());
  options.partition.kind = PartitionSpec::Kind::blocks;  // the same data in every repetition
  options.sample_size = 5;
  const auto result = run(data, options);
  options.seed = 99;
  const auto other = run(data, options);
  // p differs only through rounding of sums over repetitions
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_NEAR(result.results[0].probabilities[i], other.results[0].probabilities[i], 1e-12);
  }
}

TEST(Experiment, PermutingTheClientsPermutesTheirResults) {
  // One space and J = K = 1: nothing is drawn, so a client's losses go where its rows go.
  const Dataset data = generated("linear", 400);
  std::vector<float> moved;
  const std::vector<std::size_t> order = {2, 0, 3, 1};
  for (const std::size_t block : order) {
    for (std::size_t row = block * 100; row < block * 100 + 100; ++row) {
      const auto x = data.x(row);
      moved.insert(moved.end(), x.begin(), x.end());
      moved.push_back(data.y(row));
    }
  }
  const auto permuted = dataset_from_values("permuted", data.features(), moved);
  ASSERT_TRUE(permuted.ok());
  auto options = options_with({Space{.radius = 0.7}});
  options.partition.kind = PartitionSpec::Kind::blocks;
  options.repeats = 1;
  const auto a = run(data, options);
  const auto b = run(*permuted, options);
  for (std::size_t j = 0; j < 4; ++j) {
    EXPECT_NEAR(b.results[0].clients[j].given, a.results[0].clients[order[j]].given, 1e-6);
  }
  EXPECT_NEAR(a.results[0].mse[0], b.results[0].mse[0], 1e-7);
}

TEST(Experiment, RegretIsCumulativeLossMinusTheBestInHindsight) {
  const Dataset data = generated("linear", 400);
  auto options = options_with(linear_spaces());
  options.schedule.kind = ScheduleKind::adaptive_first_order;
  options.regret = true;
  options.repeats = 1;
  const auto result = run(data, options);
  for (std::size_t i = 0; i < options.spaces.size(); ++i) {
    GramComparator gram(data.features());
    for (std::size_t row = 0; row < data.rows(); ++row) {
      gram.add(data.x(row), static_cast<double>(data.y(row)));
    }
    const double best = gram.best(Region{Constraint::ball, options.spaces[i].radius}).loss;
    EXPECT_NEAR(result.best_loss[i], best, 1e-9 * std::abs(best));
    EXPECT_EQ(result.results[0].best_loss[i], result.best_loss[i]);
    EXPECT_NEAR(result.results[0].regret[i], 400 * result.results[0].loss[0] - best, 1e-9);
  }
  const auto& curve = result.results[0].curve;
  EXPECT_EQ(curve.rounds.front(), 1U);
  EXPECT_EQ(curve.rounds.back(), 100U);
  EXPECT_NEAR(curve.loss.back(), 400 * result.results[0].loss[0], 1e-9);
  const auto worst =
      *std::max_element(result.results[0].regret.begin(), result.results[0].regret.end());
  EXPECT_NEAR(curve.regret.back(), worst, 1e-9);
  EXPECT_GE(curve.regret.front(), 0.0);
}

TEST(Experiment, RegretAndBestLossAreOfTheRepetitionsThatDidNotDiverge) {
  const Dataset data = generated("linear", 400);
  auto options = options_with({Space{.kind = SpaceKind::gaussian, .features = 5}});
  options.algorithms = {"em-kofl", "fomd-oms"};
  options.regret = true;
  options.repeats = 8;
  std::size_t diverged = 0;
  // Somewhere between the rates at which none and all diverge, some do.
  for (double rate = 3.0; diverged < options.repeats; rate *= 1.01) {
    options.rates.model_rate = rate;
    const auto result = run(data, options);
    diverged = result.results[0].diverged;
    if (diverged == 0 || diverged == options.repeats) continue;
    double kept_loss = 0.0;
    for (const double loss : result.results[0].loss) {
      if (std::isfinite(loss)) kept_loss += 400 * loss;
    }
    kept_loss /= static_cast<double>(options.repeats - diverged);
    EXPECT_NEAR(result.results[0].regret[0] + result.results[0].best_loss[0], kept_loss,
                1e-9 * kept_loss);
    EXPECT_NE(result.results[0].best_loss, result.best_loss);
    EXPECT_EQ(result.results[1].best_loss, result.best_loss);  // of one that never diverged
    return;
  }
  FAIL() << "no rate lets some repetitions diverge and others not";
}

TEST(Experiment, RegretIsFiniteAndSensibleOnDriftingAndAdversarialData) {
  for (const char* name : {"drift", "adversary-full", "adversary-partial"}) {
    const Dataset data = generated(name, 600, 10);
    auto options = options_with(linear_spaces());
    options.regret = true;
    options.partition.kind = PartitionSpec::Kind::blocks;
    if (std::string(name) != "drift") options.loss = Loss(AbsoluteLoss{});
    const auto result = run(data, options);
    for (const double regret : result.results[0].regret) {
      EXPECT_TRUE(std::isfinite(regret)) << name;
      EXPECT_LT(regret, 600.0) << name;
      EXPECT_GT(regret, -600.0) << name;
    }
  }
}

TEST(Experiment, ClientsWithUnequalDataWeighEqually) {
  const Dataset data = generated("linear", 400);
  auto options = options_with(linear_spaces());
  options.partition.kind = PartitionSpec::Kind::dirichlet;
  options.partition.concentration = 0.5;
  const auto result = run(data, options);
  EXPECT_EQ(result.used, 400U);
  EXPECT_GT(result.rounds, 100U);
  EXPECT_TRUE(std::isfinite(result.results[0].mse[0]));
}

TEST(Experiment, CurvesOfUnequalLengthAreAveragedWhereTheyAgree) {
  const Dataset data = generated("linear", 400);
  auto options = options_with(linear_spaces());
  options.partition.kind = PartitionSpec::Kind::dirichlet;  // T differs from one to the next
  options.partition.concentration = 0.5;
  options.repeats = 5;
  options.regret = true;
  const auto result = run(data, options);
  const Curve& curve = result.results[0].curve;
  EXPECT_EQ(curve.loss.size(), curve.rounds.size());
  EXPECT_EQ(curve.regret.size(), curve.rounds.size());
  EXPECT_EQ(curve.loss_sd.size(), curve.rounds.size());
  ASSERT_EQ(curve.probabilities.size(), curve.rounds.size());
  EXPECT_TRUE(std::is_sorted(curve.loss.begin(), curve.loss.end()));  // sums only grow
  for (const auto& p : curve.probabilities) {
    EXPECT_NEAR(std::accumulate(p.begin(), p.end(), 0.0), 1.0, 1e-12);
  }
}

TEST(Experiment, LosingReportsCostsLittle) {
  const Dataset data = generated("linear", 8000);
  auto options = options_with(linear_spaces());
  options.repeats = 5;
  options.threads = 0;
  const auto whole = run(data, options);
  options.dropout = 0.3;
  const auto lossy = run(data, options);
  const auto mean = [](const std::vector<double>& v) {
    return std::accumulate(v.begin(), v.end(), 0.0) / static_cast<double>(v.size());
  };
  EXPECT_NEAR(mean(lossy.results[0].mse), mean(whole.results[0].mse),
              0.1 * mean(whole.results[0].mse));
}

TEST(Experiment, CollaborationHelpsWhenClientsSeeFewModels) {
  const Dataset data = generated("linear", 8000);
  auto options = options_with(linear_spaces());
  options.clients = 10;
  options.algorithms = {"fomd-oms", "nco-oms"};
  const auto result = run(data, options);
  EXPECT_LT(result.results[0].mse[0], result.results[1].mse[0]);
}

TEST(Experiment, ForecastsOfTheFirstRepetitionAreKept) {
  const Dataset data = generated("linear", 402);
  auto options = options_with(linear_spaces());
  options.keep_forecasts = true;
  const auto result = run(data, options);
  EXPECT_EQ(result.used, 400U);
  const auto& forecasts = result.results[0].forecasts;
  ASSERT_EQ(forecasts.size(), 400U);
  double squared = 0.0;
  for (const GivenForecast& f : forecasts) {
    squared += std::pow(f.output - static_cast<double>(data.y(f.row)), 2);
  }
  EXPECT_NEAR(squared / 400, result.results[0].mse[0], 1e-12);
}

TEST(Experiment, ImpossibleOptionsAreRefused) {
  const Dataset data = generated("linear", 40);
  Progress progress;
  const auto refused = [&](auto change) {
    auto options = options_with(linear_spaces());
    change(options);
    const auto result = run_experiment(data, options, progress);
    return !result.ok() && !result.error().line().empty();
  };
  EXPECT_TRUE(refused([](auto& o) { o.clients = 41; }));
  EXPECT_TRUE(refused([](auto& o) { o.sample_size = 1; }));
  EXPECT_TRUE(refused([](auto& o) { o.sample_size = 6; }));
  EXPECT_TRUE(refused([](auto& o) { o.spaces[0].radius = 0.0; }));
  EXPECT_TRUE(refused([](auto& o) { o.spaces[0].radius = -1.0; }));
  EXPECT_TRUE(refused([](auto& o) { o.dropout = 1.0; }));
  EXPECT_TRUE(refused([](auto& o) { o.repeats = 0; }));
  EXPECT_TRUE(refused([](auto& o) { o.algorithms = {"fomd"}; }));
  EXPECT_TRUE(refused([](auto& o) {
    o.schedule.kind = ScheduleKind::theory;
    o.clients = 10;  // T = 4 < K = 5
  }));
  EXPECT_FALSE(refused([](auto&) {}));
}

}  // namespace
}  // namespace caucus
