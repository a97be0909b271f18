// The sums of examples whose targets are classes, and what the server learns from them.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <memory>
#include <vector>

#include "caucus/algorithms/statistics/statistics_oms.hpp"
#include "caucus/algorithms/test_play.hpp"
#include "caucus/core/base/test_numbers.hpp"

namespace caucus {
namespace {

constexpr std::size_t kClasses = 3;
constexpr std::size_t kNumbers = 3;  // of x

struct ClassExample {
  Floats x;
  std::size_t y = 0;
};

std::vector<ClassExample> class_examples(std::size_t count, std::uint64_t seed) {
  Stream stream({.seed = seed});
  std::vector<ClassExample> examples;
  for (std::size_t n = 0; n < count; ++n) {
    ClassExample one{normals(kNumbers, stream), 0};
    one.y = one.x[0] > 0.3F ? 2 : one.x[1] > 0.0F ? 1 : 0;
    examples.push_back(one);
  }
  return examples;
}

std::shared_ptr<const Plan> class_plan() {
  std::vector<Space> spaces = {
      Space{.radius = HUGE_VAL, .intercept = true},
      Space{.kind = SpaceKind::gaussian, .radius = HUGE_VAL, .intercept = true, .features = 6},
      Space{.kind = SpaceKind::expert}};
  spaces[2].function = [](std::span<const float> x) { return x[0] > 0.0F ? 2.0F : 1.0F; };
  auto maps = FeatureMaps::make(spaces, {kNumbers, 0}, 5, 0).value();
  return std::make_shared<const Plan>(Plan{std::move(maps), Loss(ClassesLoss{{}, kClasses})});
}

/// A client that holds all spaces, with some weights.
struct ClassClient {
  explicit ClassClient(const UploadRule& rule)
      : plan(class_plan()), forecast(plan->maps), statistics(*plan, rule) {
    Stream stream({.seed = 11});
    for (std::uint32_t i = 0; i < plan->maps.size(); ++i) {
      weights.push_back(normals(kClasses * plan->maps.dimension(i), 0.3, stream));
    }
  }
  ReportBatch play(const std::vector<ClassExample>& examples) {
    Assignment assignment{7, {}, examples.size()};
    for (std::uint32_t i = 0; i < plan->maps.size(); ++i) {
      assignment.held.push_back({i, weights[i], 0.5});
    }
    statistics.begin(assignment);
    for (const ClassExample& one : examples) {
      predict_with_held(*plan, assignment, one.x, forecast);
      statistics.add(forecast, static_cast<double>(one.y));
    }
    ReportBatch report;
    statistics.report(report);
    return report;
  }
  /// Returns phi_i(x).
  Floats features(std::size_t space, const Floats& x) {
    forecast.workspace.begin(x);
    const auto z = plan->maps.features(space, forecast.workspace);
    return {z.begin(), z.end()};
  }

  std::shared_ptr<const Plan> plan;
  std::vector<Floats> weights;
  Forecast forecast;
  BatchStatistics statistics;
};

TEST(ClassSums, AreThoseOfOneTargetForEachClass) {
  const auto examples = class_examples(50, 1);
  ClassClient client(UploadRule{});
  const ReportBatch report = client.play(examples);
  ASSERT_EQ(report.spaces.size(), 3U);
  EXPECT_TRUE(report.direction(0).empty());  // the kernel's sums contain them
  const std::size_t size = kClasses + client.plan->maps.dimension(1);
  ASSERT_EQ(report.direction(1).size(), triangle_size(size));
  std::vector<Doubles> rows;
  for (const ClassExample& one : examples) {
    Doubles& row = rows.emplace_back(kClasses, 0.0);
    row[one.y] = 1.0;
    for (const float z : client.features(1, one.x)) row.push_back(static_cast<double>(z));
  }
  for (std::size_t r = 0, place = 0; r < size; ++r) {
    for (std::size_t c = 0; c <= r; ++c, ++place) {
      double sum = 0.0;
      for (const Doubles& row : rows) sum += row[r] * row[c];
      ASSERT_NEAR(static_cast<double>(report.direction(1)[place]), sum, 1e-4) << r << ", " << c;
    }
  }
}

TEST(ClassSums, ComeWithTheSquaredErrorsOfAllOutputs) {
  const auto examples = class_examples(40, 2);
  ClassClient client(UploadRule{});
  const ReportBatch report = client.play(examples);
  for (std::size_t space = 0; space < 3; ++space) {
    double loss = 0.0;
    for (const ClassExample& one : examples) {
      const Floats z = client.features(space, one.x);
      for (std::size_t c = 0; c < kClasses; ++c) {
        double output = one.x[0] > 0.0F ? (c == 2 ? 1.0 : 0.0) : (c == 1 ? 1.0 : 0.0);
        if (space < 2) output = 0.0;
        for (std::size_t k = 0; k < z.size(); ++k) {
          output += static_cast<double>(client.weights[space][c * z.size() + k]) *
                    static_cast<double>(z[k]);
        }
        loss += std::pow(output - (c == one.y ? 1.0 : 0.0), 2) / 40.0;
      }
    }
    EXPECT_NEAR(static_cast<double>(report.losses[space]), loss, 1e-5 * (1.0 + loss));
  }
}

TEST(ClassSums, HideRareClasses) {
  auto examples = class_examples(60, 3);
  std::size_t others = 0;
  for (std::size_t n = 0; n < examples.size(); ++n) {
    examples[n].y = n == 17 || n == 40 ? 2U : n % 3 == 0 ? 1U : 0U;
    others += examples[n].y == 1 ? 1U : 0U;
  }
  UploadRule rule;
  hide_examples(rule, class_plan()->maps.spaces(), class_plan()->loss, kNumbers, 2);
  ClassClient client(rule);
  const ReportBatch report = client.play(examples);
  const auto sums = report.direction(1);
  ASSERT_GE(sums.size(), triangle_size(kClasses + kNumbers + 1));
  EXPECT_EQ(sums[triangle_size(1) - 1], 60.0F - static_cast<float>(others));  // of the class 0
  EXPECT_EQ(sums[triangle_size(2) - 1], static_cast<float>(others));
  for (std::size_t r = 2; r < triangle_rows(sums.size()); ++r) {
    EXPECT_EQ(sums[triangle_size(r) + 2], 0.0F) << r;  // of the class 2
  }
}

TEST(ClassSums, GiveTheModelsOfLeastSquaresForEachClass) {
  const auto examples = class_examples(80, 4);
  ClassClient client(UploadRule{});
  ReportBatch report = client.play(examples);
  StatisticsSettings settings;
  settings.plan = client.plan;
  StatisticsOms server(std::make_shared<const StatisticsSettings>(settings));
  BatchSums sums = server.new_aggregate();
  server.aggregate(report, sums);
  server.step({1, 0, 80}, sums);
  for (std::size_t space = 0; space < 2; ++space) {
    const auto w = server.weights(space);
    const std::size_t d = client.plan->maps.dimension(space);
    ASSERT_EQ(w.size(), kClasses * d);
    // The gradient of the sum of squared errors and of the ridge is 0.
    for (std::size_t c = 0; c < kClasses; ++c) {
      Doubles gradient(d, 0.0);
      double largest = 0.0;
      for (const ClassExample& one : examples) {
        const Floats z = client.features(space, one.x);
        double error = one.y == c ? -1.0 : 0.0;
        for (std::size_t k = 0; k < d; ++k) {
          error += static_cast<double>(w[c * d + k]) * static_cast<double>(z[k]);
        }
        for (std::size_t k = 0; k < d; ++k) gradient[k] += error * static_cast<double>(z[k]);
      }
      for (std::size_t k = 0; k < d; ++k) {
        const double ridge = space == 0 && k < kNumbers ? 0.003 * kNumbers : 0.003;
        gradient[k] += ridge * static_cast<double>(w[c * d + k]);
        largest = std::max(largest, std::abs(gradient[k]));
      }
      EXPECT_LT(largest, 1e-3) << space << ", " << c;
    }
  }
}

}  // namespace
}  // namespace caucus
