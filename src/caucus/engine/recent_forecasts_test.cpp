#include "caucus/engine/recent_forecasts.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "caucus/engine/telemetry.hpp"

namespace caucus {
namespace {

/// A client's rows: the federated forecasts, those that it gave, and the targets.
struct Row {
  double federated = 0.0, given = 0.0, y = 0.0;
};
const Loss kSquare(SquareLoss{});
using Batches = std::vector<std::vector<Row>>;

Batches made_up(const std::vector<std::size_t>& lengths, bool classes) {
  Batches batches;
  double next = 0.3;
  const auto number = [&] { return next = 3.7 * next * (1.0 - next); };
  for (const std::size_t length : lengths) {
    auto& rows = batches.emplace_back();
    for (std::size_t n = 0; n < length; ++n) {
      const double y = number();
      rows.push_back({number() - 0.5, number(), classes ? (y > 0.6 ? 1.0 : -1.0) : y});
    }
  }
  return batches;
}

void record(const Loss& loss, const std::vector<Row>& rows, bool personal, std::size_t client,
            Telemetry& telemetry) {
  PlayedSums sums;
  for (const Row& row : rows) {
    sums.add(loss, personal ? row.given : row.federated, row.y);
    if (!personal) continue;
    ++sums.personal.examples;
    sums.personal.federated += loss.value(row.federated, row.y);
    sums.personal.federated_squares += std::pow(row.federated - row.y, 2);
  }
  telemetry.record(client, sums);
}

double error_of(const Loss& loss, double forecast, double y) {
  return loss.is_classification() ? loss.value(forecast, y) : std::pow(forecast - y, 2);
}

/// The least mean error of a constant among many.
double best_constant(const Loss& loss, const std::vector<Row>& rows) {
  double best = HUGE_VAL;
  for (int step = -4000; step <= 4000; ++step) {
    double sum = 0.0;
    for (const Row& row : rows) sum += error_of(loss, 0.001 * step, row.y);
    best = std::min(best, sum / static_cast<double>(rows.size()));
  }
  return best;
}

void expect_direct(const Loss& loss, const Batches& batches, bool personal) {
  Telemetry telemetry(loss, 2);
  std::vector<Row> rows;
  for (const auto& batch : batches) {
    record(loss, batch, personal, 1, telemetry);
    rows.insert(rows.end(), batch.begin(), batch.end());
  }
  const auto score = telemetry.recent_score(1);
  ASSERT_TRUE(score);
  EXPECT_GE(5 * score->examples, rows.size());
  rows.erase(rows.begin(), rows.end() - static_cast<std::ptrdiff_t>(score->examples));
  double error = 0.0;
  for (const Row& row : rows) error += error_of(loss, row.federated, row.y);
  EXPECT_NEAR(score->error, error / static_cast<double>(rows.size()), 1e-12);
  EXPECT_NEAR(score->constant, best_constant(loss, rows), 1e-6);
  EXPECT_EQ(score->since, 0U);
  EXPECT_FALSE(telemetry.recent_score(0)) << "a client without examples";
}

TEST(RecentForecasts, AreScoredAsTheRowsThemselves) {
  for (const std::vector<std::size_t>& lengths : {std::vector<std::size_t>{7},
                                                  {10, 10, 10, 10, 10, 10, 10, 10},
                                                  {20, 20, 12, 16, 20, 26},
                                                  std::vector<std::size_t>(300, 1)}) {
    for (const bool personal : {false, true}) {
      for (const Loss& loss : {Loss(SquareLoss{}), Loss(AbsoluteLoss{})}) {
        expect_direct(loss, made_up(lengths, false), personal);
      }
      for (const Loss& loss : {Loss(LogisticLoss{}), Loss(HingeLoss{})}) {
        expect_direct(loss, made_up(lengths, true), personal);
      }
    }
  }
}

TEST(RecentForecasts, AreThoseOfTheLastBatchIfBatchesGrow) {
  Telemetry telemetry(kSquare, 1);
  const Batches batches = made_up({20, 20, 12, 16, 20, 26, 34}, false);
  for (const auto& batch : batches) {
    record(kSquare, batch, true, 0, telemetry);
    EXPECT_EQ(telemetry.recent_score(0)->examples, batch.size());
  }
}

RC_GTEST_PROP(RecentForecasts, HaveAtMostTwoFifthsOfTheExamplesIfBatchesAreShort, ()) {
  const auto lengths =
      *rc::gen::container<std::vector<std::size_t>>(50, rc::gen::inRange<std::size_t>(1, 4));
  Telemetry telemetry(kSquare, 1);
  std::size_t all = 0;
  for (const auto& batch : made_up(lengths, false)) {
    record(kSquare, batch, false, 0, telemetry);
    all += batch.size();
    const auto examples = telemetry.recent_score(0)->examples;
    RC_ASSERT(5 * examples >= all);
    RC_ASSERT(all < 20 || 5 * examples <= 2 * all + 15);
  }
}

TEST(RecentForecasts, CountTheExamplesOfOthersSince) {
  Telemetry telemetry(kSquare, 2);
  record(kSquare, made_up({10}, false).front(), false, 0, telemetry);
  record(kSquare, made_up({25}, false).front(), false, 1, telemetry);
  EXPECT_EQ(telemetry.recent_score(0)->since, 25U);
  EXPECT_EQ(telemetry.recent_score(1)->since, 0U);
}

TEST(RecentForecasts, HaveNoScoreWithoutAModelOrABestConstant) {
  Telemetry unlearned(kSquare, 1);
  record(kSquare, {{0.0, 0.5, 0.25}, {0.0, 0.5, 0.75}}, true, 0, unlearned);
  EXPECT_FALSE(unlearned.recent_score(0));
  const Loss linear_loss(LinearLoss{});
  Telemetry linear(linear_loss, 1);
  record(linear_loss, made_up({10}, false).front(), false, 0, linear);
  EXPECT_FALSE(linear.recent_score(0));
}

TEST(RecentForecasts, ThatAreNoNumbersAreWorseThanAConstant) {
  EXPECT_TRUE((ForecastScore{1, std::nan(""), 1.0, 0}.is_worse()));
  EXPECT_FALSE((ForecastScore{1, 1.0, 1.0, 0}.is_worse()));
}

}  // namespace
}  // namespace caucus
