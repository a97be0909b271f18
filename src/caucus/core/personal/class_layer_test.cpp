#include "caucus/core/personal/class_layer.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "caucus/core/base/test_numbers.hpp"
#include "caucus/core/losses/classes.hpp"
#include "caucus/core/personal/personal_layer.hpp"

namespace caucus {
namespace {

constexpr std::size_t kClasses = 3;

struct ClassRow {
  Floats x;
  Doubles outputs;  ///< of federated models; empty before the first ones
  std::size_t y = 0;
};

/// The class is the sector in which x lies; federated models know it up to noise.
std::vector<ClassRow> class_rows(std::size_t count, std::size_t first_models, double noise,
                                 std::uint64_t seed) {
  Stream stream({.seed = seed});
  std::vector<ClassRow> rows;
  for (std::size_t t = 0; t < count; ++t) {
    ClassRow row{normals(2, 1.0, stream), {}, 0};
    row.y = row.x[0] > 0.5F ? 0 : row.x[1] > 0.0F ? 1 : 2;
    for (std::size_t c = 0; t >= first_models && c < kClasses; ++c) {
      row.outputs.push_back((c == row.y ? 0.8 : 0.1) + noise * stream.normal());
    }
    rows.push_back(row);
  }
  return rows;
}

struct Score {
  double accuracy = 0.0, log_loss = 0.0;
};

/// The means over the last half of the rows.
Score play(ClassLayer& layer, const std::vector<ClassRow>& rows) {
  Score score;
  std::optional<double> last;
  Doubles p(kClasses);
  const double share = 2.0 / static_cast<double>(rows.size());
  for (std::size_t t = 0; t < rows.size(); ++t) {
    layer.predict(rows[t].x, rows[t].outputs, last, p);
    EXPECT_NEAR(std::accumulate(p.begin(), p.end(), 0.0), 1.0, 1e-9);
    if (2 * t >= rows.size()) {
      score.accuracy += likeliest(p) == rows[t].y ? share : 0.0;
      score.log_loss -= share * std::log(p[rows[t].y]);
    }
    layer.observe(rows[t].outputs, last, rows[t].y);
    last = static_cast<double>(rows[t].y);
  }
  return score;
}

TEST(Classes, SoftmaxHasTheRatiosOfExponentials) {
  const Doubles outputs = {0.2, -0.1, 0.7};
  Doubles p(3);
  softmax(outputs, 3.0, p);
  EXPECT_NEAR(p[0] + p[1] + p[2], 1.0, 1e-12);
  EXPECT_NEAR(p[2] / p[0], std::exp(3.0 * 0.5), 1e-4);
  EXPECT_NEAR(p[0] / p[1], std::exp(3.0 * 0.3), 1e-4);
  softmax(outputs, 1e9, p);
  EXPECT_NEAR(p[0], kLeastProbability, 1e-12);
}

TEST(Temperature, FollowsHowOftenOutputsAreRight) {
  // The first class has the output 0.6 and comes with the probability 0.9 or 0.6.
  for (const double share : {0.9, 0.6}) {
    Temperature temperature(2);
    Stream stream({.seed = 2});
    const Doubles outputs = {0.6, 0.4};
    Doubles p(2);
    for (int t = 0; t < 3000; ++t) {
      temperature.probabilities(outputs, p);
      temperature.observe(outputs, p, stream.uniform() < share ? 0 : 1);
    }
    EXPECT_NEAR(p[0], share, 0.03);
  }
}

TEST(ClassLayer, PredictsFromItsOwnRowsBeforeTheFirstModels) {
  ClassLayer layer(2, kClasses);
  const Score score = play(layer, class_rows(600, 600, 0.0, 3));
  EXPECT_GT(score.accuracy, 0.8);
  EXPECT_LT(score.log_loss, 0.6);
}

TEST(ClassLayer, TrustsGoodModelsAndNotBadOnes) {
  ClassLayer good(2, kClasses);
  const Score with_good = play(good, class_rows(600, 50, 0.1, 3));
  EXPECT_GT(with_good.accuracy, 0.97);
  EXPECT_LT(with_good.log_loss, 0.1);
  ClassLayer bad(2, kClasses);
  ClassLayer without(2, kClasses);
  const Score with_bad = play(bad, class_rows(600, 50, 30.0, 3));
  const Score alone = play(without, class_rows(600, 600, 0.0, 3));
  EXPECT_LT(with_bad.log_loss, alone.log_loss + 0.02);
  EXPECT_LT(bad.weights()[0], 0.01);
}

TEST(ClassLayer, LearnsHowOftenClassesAreRepeated) {
  ClassLayer layer(2, kClasses);
  auto rows = class_rows(400, 400, 0.0, 3);
  for (std::size_t t = 0; t < rows.size(); ++t) {
    rows[t].x = {0.0F, 0.0F};
    rows[t].y = t / 20 % kClasses;
  }
  EXPECT_GT(play(layer, rows).accuracy, 0.9);
}

TEST(ClassLayer, GoesOnExactlyFromItsState) {
  const auto rows = class_rows(80, 30, 0.2, 9);
  for (const std::size_t before : {0U, 10U, 50U}) {
    PersonalLayer whole(2, Loss(ClassesLoss{{}, kClasses}));
    PersonalLayer half(2, Loss(ClassesLoss{{}, kClasses}));
    Doubles p(kClasses), q(kClasses);
    for (std::size_t t = 0; t < rows.size(); ++t) {
      if (t == before) {
        StateWriter to;
        half.save(to);
        StateReader from(to.bytes());
        PersonalLayer rest(2, Loss(ClassesLoss{{}, kClasses}));
        ASSERT_TRUE(rest.restore(from).ok());
        ASSERT_TRUE(from.done().ok());
        half = std::move(rest);
      }
      whole.predict(rows[t].x, rows[t].outputs, p);
      half.predict(rows[t].x, rows[t].outputs, q);
      EXPECT_EQ(p, q);
      whole.observe(static_cast<double>(rows[t].y));
      half.observe(static_cast<double>(rows[t].y));
    }
    EXPECT_EQ(whole.record(), half.record());
  }
}

TEST(ClassLayer, TakesLateClassesAsIfTheyHadComeAtOnceAfterAllPredictions) {
  const auto rows = class_rows(60, 20, 0.2, 9);
  PersonalLayer late(2, Loss(ClassesLoss{{}, kClasses}));
  Doubles p(kClasses);
  std::vector<PersonalForecast> waiting;
  double given = 0.0;
  for (const ClassRow& row : rows) {
    late.predict(row.x, row.outputs, p);
    waiting.push_back(late.last_forecast());
    given += squared_error(p, row.y);
  }
  for (std::size_t t = rows.size(); t > 0; --t) {
    late.observe(waiting[t - 1], static_cast<double>(rows[t - 1].y));
  }
  EXPECT_EQ(late.record().examples, rows.size());
  EXPECT_NEAR(late.record().given, given, 1e-9);
  late.predict(rows[0].x, {}, p);
  EXPECT_EQ(likeliest(p), rows[0].y);
}

}  // namespace
}  // namespace caucus
