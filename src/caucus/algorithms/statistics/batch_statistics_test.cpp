#include "caucus/algorithms/statistics/batch_statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "caucus/core/base/state_io.hpp"
#include "caucus/core/base/test_numbers.hpp"
#include "caucus/core/base/vector.hpp"

namespace caucus {
namespace {

struct Row {
  Floats x;
  double y = 0.0;
};

std::vector<Row> random_rows(std::size_t count, std::size_t inputs, std::uint64_t seed) {
  Stream stream({.seed = seed});
  std::vector<Row> rows;
  for (std::size_t n = 0; n < count; ++n) {
    Row row{normals(inputs, stream), 0.0};
    row.y = static_cast<double>(static_cast<float>(stream.normal()));
    rows.push_back(row);
  }
  return rows;
}

Plan plan_of(std::vector<Space> spaces, Loss loss = {}, std::size_t inputs = 3) {
  return {FeatureMaps::make(std::move(spaces), {inputs, 0}, 5, 0).value(), loss};
}

const Space kLinear{.intercept = true};
const Space kGaussian{.kind = SpaceKind::gaussian, .intercept = true, .features = 9};
const Space kExpert{.kind = SpaceKind::expert,
                    .function = [](std::span<const float> x) { return 2.0F * x[0]; }};

Space without_intercept(Space space) {
  space.intercept = false;
  return space;
}

/// A client that holds all spaces, with some weights.
class Client {
 public:
  Client(Plan plan, const UploadRule& rule)
      : plan_(std::move(plan)), forecast_(plan_.maps), statistics_(plan_, rule) {
    Stream stream({.seed = 11});
    for (std::uint32_t i = 0; i < plan_.maps.size(); ++i) {
      weights_.push_back(normals(plan_.maps.dimension(i), 0.3, stream));
    }
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  Client(Client&&) = delete;
  Client& operator=(Client&&) = delete;
  ~Client() = default;

  ReportBatch play(const std::vector<Row>& rows, std::size_t expected_examples) {
    Assignment assignment{7, {}, expected_examples};
    for (std::uint32_t i = 0; i < plan_.maps.size(); ++i) {
      assignment.held.push_back({i, weights_[i], 0.5});
    }
    statistics_.begin(assignment);
    for (const Row& row : rows) {
      predict_with_held(plan_, assignment, row.x, forecast_);
      statistics_.add(forecast_, row.y);
    }
    EXPECT_EQ(statistics_.examples(), rows.size());
    ReportBatch report;
    statistics_.report(report);
    return report;
  }
  ReportBatch play(const std::vector<Row>& rows) { return play(rows, rows.size()); }

  /// Expects the first rows of sum_n weight_n (target_n, z_n) (target_n, z_n)', computed in double.
  void expect_sums(std::uint32_t space, const std::vector<Row>& rows,
                   std::span<const float> triangle) {
    FeatureMaps::Workspace workspace(plan_.maps);
    std::vector<Doubles> values;
    double losses = 0.0;
    for (const Row& row : rows) {
      workspace.begin(row.x);
      const auto z = plan_.maps.features(space, workspace);
      const double output = dot(weights_[space], z);
      const auto n = static_cast<double>(values.size());
      const auto [weight, target] =
          quadratic_loss(plan_.loss, output, row.y, n > 0 ? losses / n : 0.0);
      losses += plan_.loss.value(output, row.y);
      Doubles& value = values.emplace_back(1, std::sqrt(weight) * target);
      for (const float feature : z) {
        value.push_back(std::sqrt(weight) * static_cast<double>(feature));
      }
    }
    const std::size_t size = triangle_rows(triangle.size());
    ASSERT_EQ(triangle_size(size), triangle.size());
    for (std::size_t r = 0, place = 0; r < size; ++r) {
      for (std::size_t c = 0; c <= r; ++c, ++place) {
        double sum = 0.0;
        double sizes = 0.0;
        for (const Doubles& value : values) {
          sum += value[r] * value[c];
          sizes += std::abs(value[r] * value[c]);
        }
        ASSERT_NEAR(static_cast<double>(triangle[place]), sum, 3e-6 * sizes) << r << ", " << c;
      }
    }
  }
  double mean_loss(std::uint32_t space, const std::vector<Row>& rows) {
    FeatureMaps::Workspace workspace(plan_.maps);
    double losses = 0.0;
    for (const Row& row : rows) {
      workspace.begin(row.x);
      const bool expert = plan_.maps.dimension(space) == 0;
      const double output = expert ? plan_.expert_output(space, row.x)
                                   : dot(weights_[space], plan_.maps.features(space, workspace));
      losses += plan_.loss.value(output, row.y);
    }
    return losses / static_cast<double>(rows.size());
  }

 private:
  Plan plan_;
  std::vector<Floats> weights_;
  Forecast forecast_;
  BatchStatistics statistics_;
};

TEST(BatchStatistics, ReportTheSumsAndMeanLossesOfTheBatch) {
  Client client(plan_of({without_intercept(kLinear), without_intercept(kGaussian)}), {});
  for (const std::size_t count : {1U, 5U, 16U, 50U}) {
    const auto rows = random_rows(count, 3, count);
    const ReportBatch report = client.play(rows);
    ASSERT_EQ(report.size(), 1U);
    EXPECT_EQ(report.clients[0], 7U);
    EXPECT_EQ(report.examples[0], count);
    EXPECT_EQ(report.spaces, (std::vector<std::uint32_t>{0, 1}));
    EXPECT_EQ(report.sizes[0], triangle_size(3 + 1));
    EXPECT_EQ(report.sizes[1], triangle_size(18 + 1));
    for (std::uint32_t i = 0; i < 2; ++i) {
      client.expect_sums(i, rows, report.direction(i));
      const double loss = client.mean_loss(i, rows);
      EXPECT_NEAR(static_cast<double>(report.losses[i]), loss, 1e-6 * loss);
    }
  }
}

TEST(BatchStatistics, OfOtherLossesAreThoseOfTheirQuadratics) {
  for (const Loss& loss :
       {Loss(SquareLoss{}), Loss(AbsoluteLoss{}), Loss(HuberLoss{0.7}), Loss(LogisticLoss{}),
        Loss(HingeLoss{}), Loss(PinballLoss{0.3}), Loss(LinearLoss{})}) {
    SCOPED_TRACE(loss.name());
    Client client(plan_of({kLinear, kGaussian}, loss), {});
    auto rows = random_rows(30, 3, 2);
    for (Row& row : rows) row.y = row.y > 0.0 ? 1.0 : -1.0;
    const ReportBatch report = client.play(rows);
    const bool square = std::holds_alternative<SquareLoss>(loss.kind());
    // The quadratics of two models differ, so that none contains the other's sums.
    EXPECT_EQ(report.sizes[0], square ? 0U : triangle_size(4 + 1));
    if (!square) client.expect_sums(0, rows, report.direction(0));
    client.expect_sums(1, rows, report.direction(1));
  }
}

TEST(BatchStatistics, AreNotSentForTooFewExamplesToHideThem) {
  const UploadRule rule{.rounds = 0, .least = 8, .hides_examples = true, .numbers = 1000};
  Client client(plan_of({kLinear}), rule);
  EXPECT_TRUE(client.play(random_rows(7, 3, 1), 8).empty());
  EXPECT_TRUE(client.play({}, 8).empty());
  EXPECT_EQ(client.play(random_rows(8, 3, 1)).size(), 1U);
  Client open(plan_of({kLinear}), {});
  EXPECT_TRUE(open.play({}, 8).empty());
  EXPECT_EQ(open.play(random_rows(1, 3, 1), 8).size(), 1U);
}

TEST(BatchStatistics, HaveACoordinateForEveryTwoExamples) {
  const UploadRule rule{.rounds = 0, .least = 8, .hides_examples = true, .numbers = 1000};
  Client client(plan_of({kGaussian}), rule);  // 3 + 1 + 18 coordinates
  for (const std::size_t count : {10U, 11U, 20U, 43U, 44U, 100U}) {
    const auto rows = random_rows(count, 3, count);
    const ReportBatch report = client.play(rows);
    const std::size_t coordinates = std::min<std::size_t>(count / 2, 22);
    ASSERT_EQ(report.sizes[0], triangle_size(coordinates + 1));
    client.expect_sums(0, rows, report.direction(0));
  }
  // Data that end early hide fewer coordinates than were expected.
  const auto rows = random_rows(12, 3, 5);
  const ReportBatch report = client.play(rows, 100);
  ASSERT_EQ(report.sizes[0], triangle_size(6 + 1));
  client.expect_sums(0, rows, report.direction(0));
}

TEST(BatchStatistics, HideValuesOfFewRows) {
  auto rows = random_rows(60, 3, 4);
  for (std::size_t n = 0; n < rows.size(); ++n) rows[n].x[1] = n == 17 ? 1.0F : -1.0F;
  auto hidden = rows;
  hidden[17].x[1] = -1.0F;
  for (const bool hides : {true, false}) {
    const UploadRule rule{.rounds = 0, .least = 8, .hides_examples = hides, .numbers = 1000};
    for (const Space& space : {kLinear, without_intercept(kLinear)}) {
      Client client(plan_of({space}), rule);
      const ReportBatch report = client.play(rows);
      client.expect_sums(0, hides ? hidden : rows, report.direction(0));
      const double loss = client.mean_loss(0, hides ? hidden : rows);
      EXPECT_NEAR(static_cast<double>(report.losses[0]), loss, 1e-5 * loss);
    }
    // What a kernel reports does not depend on the rare value.
    auto changed = rows;
    changed[17].x[1] = 0.5F;
    Client client(plan_of({kGaussian}), rule);
    const ReportBatch report = client.play(rows), other = client.play(changed);
    auto difference = static_cast<double>(std::abs(report.losses[0] - other.losses[0]));
    for (std::size_t k = 0; k < report.sizes[0]; ++k) {
      difference += static_cast<double>(std::abs(report.direction(0)[k] - other.direction(0)[k]));
    }
    EXPECT_EQ(difference < 1e-4, hides) << difference;
  }
}

TEST(BatchStatistics, OfOneMapAreSentOnce) {
  Space other = kGaussian;
  other.radius = 5.0;
  Client client(plan_of({without_intercept(kLinear), kGaussian,
                         Space{.radius = 3.0, .constraint = Constraint::box}, other}),
                {});
  const auto rows = random_rows(20, 3, 3);
  const ReportBatch report = client.play(rows);
  EXPECT_EQ(report.sizes,
            (std::vector<std::uint32_t>{static_cast<std::uint32_t>(triangle_size(3 + 1)),
                                        static_cast<std::uint32_t>(triangle_size(22 + 1)), 0, 0}));
  for (std::uint32_t i = 0; i < 4; ++i) {  // losses are sent for all
    const double loss = client.mean_loss(i, rows);
    EXPECT_NEAR(static_cast<double>(report.losses[i]), loss, 1e-6 * loss);
  }
}

TEST(BatchStatistics, OfALinearSpaceAreNotSentBesideAKernelThatContainsThem) {
  const auto sizes = [](const std::vector<Space>& spaces) {
    Client client(plan_of(spaces), {});
    return client.play(random_rows(5, 3, 3)).sizes;
  };
  const auto linear = static_cast<std::uint32_t>(triangle_size(4 + 1));
  const auto plain = static_cast<std::uint32_t>(triangle_size(3 + 1));
  const auto kernel = static_cast<std::uint32_t>(triangle_size(22 + 1));
  const auto random = static_cast<std::uint32_t>(triangle_size(18 + 1));
  using Sizes = std::vector<std::uint32_t>;
  EXPECT_EQ(sizes({kLinear, kGaussian}), (Sizes{0, kernel}));
  EXPECT_EQ(sizes({kGaussian, kLinear}), (Sizes{kernel, 0}));
  EXPECT_EQ(sizes({without_intercept(kGaussian), kLinear}), (Sizes{random, linear}));
  EXPECT_EQ(sizes({kGaussian, without_intercept(kLinear)}), (Sizes{kernel, plain}));
}

TEST(BatchStatistics, OfExpertsAreTheirLossesAlone) {
  Client client(plan_of({kExpert, kLinear, kExpert}), {});
  const auto rows = random_rows(20, 3, 3);
  const ReportBatch report = client.play(rows);
  EXPECT_EQ(report.sizes[0], 0U);
  EXPECT_EQ(report.sizes[2], 0U);
  const double loss = client.mean_loss(0, rows);
  EXPECT_NEAR(static_cast<double>(report.losses[0]), loss, 1e-6 * loss);
  client.expect_sums(1, rows, report.direction(1));
}

TEST(BatchStatistics, ThatAreNotFiniteAreNotSent) {
  Client client(plan_of({without_intercept(kLinear), kGaussian}), {});
  auto rows = random_rows(20, 3, 3);
  for (float& value : rows[4].x) value = 1e30F;
  const ReportBatch report = client.play(rows);
  ASSERT_EQ(report.size(), 1U);
  EXPECT_EQ(report.sizes, (std::vector<std::uint32_t>{0, 0}));
  EXPECT_TRUE(all_finite(report.losses));
  const ReportBatch next = client.play(random_rows(20, 3, 3));  // they do not stay
  EXPECT_EQ(next.sizes[0], triangle_size(3 + 1));
  EXPECT_TRUE(all_finite(next.direction(1)));
}

}  // namespace
}  // namespace caucus
