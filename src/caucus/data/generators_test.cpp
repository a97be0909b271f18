#include "caucus/data/generators.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "caucus/data/partition.hpp"
#include "caucus/data/test_files.hpp"

namespace caucus {
namespace {

using testing::HasSubstr;

Generator make(std::string_view name, const GeneratorOptions& options = {}) {
  return make_generator(name, options).value();
}

/// Squared error on the second half of the rows of kernel ridge regression on the first half, for
/// the best of several penalties.
double ridge_error(const Dataset& data, double width) {
  const std::size_t n = data.rows() / 2;
  const auto kernel = [&](std::size_t a, std::size_t b) {
    double square = 0.0;
    for (std::size_t k = 0; k < data.features(); ++k) {
      const double difference =
          static_cast<double>(data.x(a)[k]) - static_cast<double>(data.x(b)[k]);
      square += difference * difference;
    }
    return std::exp(-square / (2.0 * width * width));
  };
  double best = std::numeric_limits<double>::infinity();
  for (const double penalty : {1e-4, 1e-3, 1e-2, 1e-1, 1.0}) {
    std::vector<std::vector<double>> factor(n, std::vector<double>(n));  // Cholesky
    std::vector<double> weights(n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        double sum = kernel(i, j) + (i == j ? penalty : 0.0);
        for (std::size_t k = 0; k < j; ++k) sum -= factor[i][k] * factor[j][k];
        factor[i][j] = i == j ? std::sqrt(sum) : sum / factor[j][j];
      }
      double sum = static_cast<double>(data.y(i)) - 0.5;
      for (std::size_t k = 0; k < i; ++k) sum -= factor[i][k] * weights[k];
      weights[i] = sum / factor[i][i];
    }
    for (std::size_t i = n; i-- > 0;) {
      for (std::size_t k = i + 1; k < n; ++k) weights[i] -= factor[k][i] * weights[k];
      weights[i] /= factor[i][i];
    }
    double error = 0.0;
    for (std::size_t i = n; i < data.rows(); ++i) {
      double forecast = 0.5;
      for (std::size_t j = 0; j < n; ++j) forecast += weights[j] * kernel(i, j);
      error += std::pow(forecast - static_cast<double>(data.y(i)), 2);
    }
    best = std::min(best, error / static_cast<double>(data.rows() - n));
  }
  return best;
}

TEST(Generators, RowsAreAFunctionOfSeedAndNumberAlone) {
  for (const GeneratorInfo& info : generator_list()) {
    const Generator generator = make(info.name, {.rows = 40});
    const Generator again = make(info.name, {.rows = 40});
    const Generator other = make(info.name, {.rows = 40, .seed = 2});
    ASSERT_EQ(generator.features, info.features);
    std::vector<float> x(info.features), x_again(info.features), x_other(info.features);
    float y = 0, y_again = 0, y_other = 0;
    bool differs = false;
    for (std::size_t i = 0; i < 40; ++i) {
      generator.row(i, x, y);
      generator.row(39 - i, x_other, y_other);
      again.row(i, x_again, y_again);
      EXPECT_EQ(x, x_again);
      EXPECT_EQ(y, y_again);
      other.row(i, x_other, y_other);
      differs = differs || x_other != x;
    }
    EXPECT_TRUE(differs) << info.name;
  }
}

TEST(Generators, TheCsvHoldsTheSameFloats) {
  const TestFiles files;
  for (const GeneratorInfo& info : generator_list()) {
    const Generator generator = make(info.name, {.rows = 50, .clients = 2});
    ASSERT_TRUE(write_csv(generator, files.path("a.csv.gz")).ok());
    const auto read = read_dataset({files.path("a.csv.gz")}, {});
    const auto made = generate_dataset(generator);
    ASSERT_TRUE(read.ok() && made.ok());
    ASSERT_EQ(read->rows(), generator.rows);
    EXPECT_EQ(read->feature_names().front(), "x1");
    for (std::size_t i = 0; i < read->rows(); ++i) {
      EXPECT_TRUE(std::equal(read->x(i).begin(), read->x(i).end(), made->x(i).begin()));
      EXPECT_EQ(read->y(i), made->y(i));
    }
  }
}

TEST(Generators, LinearWeightsHaveNormOneHalfAndNoNoiseMeansNone) {
  const Generator generator = make("linear", {.features = 4, .noise = 0.0});
  const auto& weights = std::get<LinearProblem>(generator.problem).weights;
  double square = 0.0;
  for (const double w : weights) square += w * w;
  EXPECT_NEAR(square, 0.25, 1e-12);
  std::vector<float> x(4);
  float y = 0;
  generator.row(17, x, y);
  double score = 0.0;
  for (std::size_t k = 0; k < 4; ++k) score += weights[k] * static_cast<double>(x[k]);
  EXPECT_NEAR(static_cast<double>(y), score, 1e-7);
}

TEST(Generators, KernelIsLearntBestWithItsOwnWidth) {
  for (const std::uint64_t seed : {1u, 2u, 3u}) {
    const auto data = generate_dataset(make("kernel", {.rows = 600, .seed = seed}));
    std::map<double, double> error;
    for (const double width : {0.5, 1.0, 2.0, 4.0, 8.0, 32.0}) {
      error[width] = ridge_error(*data, width);
    }
    for (const auto& [width, value] : error) {
      if (width == 2.0) continue;
      EXPECT_LT(error[2.0], value) << width << " seed " << seed;
    }
  }
}

TEST(Generators, KernelTargetsLieAboutTheUnitInterval) {
  const auto data = generate_dataset(make("kernel"));
  int outside = 0;
  for (std::size_t i = 0; i < data->rows(); ++i) outside += std::abs(data->y(i) - 0.5f) > 0.5f;
  EXPECT_LT(outside, 50);
}

TEST(Generators, ClassesAreBalancedZerosAndOnes) {
  const auto data = generate_dataset(make("classify"));
  std::map<float, int> count;
  for (std::size_t i = 0; i < data->rows(); ++i) ++count[data->y(i)];
  ASSERT_EQ(count.size(), 2u);
  EXPECT_GT(count[0.0f], 400);
  EXPECT_GT(count[1.0f], 400);
}

TEST(Generators, DriftChangesItsWeightsAtEachQuarter) {
  const Generator generator = make("drift", {.rows = 100, .noise = 0.0});
  const auto& drift = std::get<DriftProblem>(generator.problem);
  std::vector<float> x(10);
  float y = 0;
  for (std::size_t i = 0; i < 100; ++i) {
    generator.row(i, x, y);
    for (std::size_t segment = 0; segment < 4; ++segment) {
      double score = 0.0;
      for (std::size_t k = 0; k < 10; ++k) {
        score += drift.segments[segment].weights[k] * static_cast<double>(x[k]);
      }
      EXPECT_EQ(std::abs(score - static_cast<double>(y)) < 1e-6, segment == i / 25) << i;
    }
  }
}

TEST(Generators, AdversariesGiveEveryClientTheSameRows) {
  for (const char* name : {"adversary-full", "adversary-partial"}) {
    const auto data = generate_dataset(make(name, {.rows = 30, .features = 6, .clients = 3}));
    ASSERT_EQ(data->rows(), 90u);
    const auto partition = make_partition({.kind = PartitionSpec::Kind::blocks}, *data, 3, 1, 0);
    for (std::size_t t = 0; t < 30; ++t) {
      for (std::size_t j = 1; j < 3; ++j) {
        const auto first = data->x(partition->row(0, t));
        const auto mine = data->x(partition->row(j, t));
        EXPECT_TRUE(std::equal(first.begin(), first.end(), mine.begin()));
        EXPECT_EQ(data->y(partition->row(0, t)), data->y(partition->row(j, t)));
      }
    }
  }
}

std::vector<double> means(const Dataset& data) {
  std::vector<double> mean(data.features() + 1);
  for (std::size_t i = 0; i < data.rows(); ++i) {
    for (std::size_t k = 0; k < data.features(); ++k) mean[k] += static_cast<double>(data.x(i)[k]);
    mean.back() += static_cast<double>(data.y(i));
  }
  for (double& each : mean) each /= static_cast<double>(data.rows());
  return mean;
}

TEST(Generators, FullAdversaryTossesFairCoins) {
  for (const double mean : means(*generate_dataset(make("adversary-full", {.rows = 40000})))) {
    EXPECT_NEAR(mean, 0.5, 0.0125);  // five standard deviations
  }
}

TEST(Generators, PartialAdversaryFavoursOneHiddenCoin) {
  const Generator generator =
      make("adversary-partial", {.rows = 200, .features = 8, .sample_size = 2});
  const auto& adversary = std::get<PartialAdversary>(generator.problem);
  EXPECT_NEAR(adversary.rho, std::sqrt(8.0) / (3.0 * std::sqrt(2.0 * 200.0)), 1e-15);
  PartialAdversary longer = adversary;  // the same coins, tossed often enough to see the bias
  longer.rounds = 40000;
  std::vector<double> mean(8);
  std::vector<float> x(8);
  float y = 0;
  for (std::size_t i = 0; i < longer.rounds; ++i) {
    longer.row(i, x, y);
    ASSERT_EQ(y, 1.0f);
    for (std::size_t k = 0; k < 8; ++k) mean[k] += static_cast<double>(x[k]) / 40000.0;
  }
  for (std::size_t k = 0; k < 8; ++k) {
    const double sign = k == adversary.hidden ? 1.0 : -1.0;
    EXPECT_NEAR(mean[k], (1.0 + sign * adversary.rho) / 2.0, 0.0125) << k;
  }
}

TEST(Generators, ImpossibleOptionsAreUsageErrors) {
  const auto line = [](std::string_view name, const GeneratorOptions& options) {
    const auto generator = make_generator(name, options);
    if (generator.ok()) return std::string("accepted");
    EXPECT_EQ(generator.error().kind, ErrorKind::usage);
    return generator.error().line();
  };
  EXPECT_THAT(line("lineal", {}), HasSubstr("did you mean linear?"));
  EXPECT_THAT(line("linear", {.rows = 0}), HasSubstr("rows: '0'"));
  EXPECT_THAT(line("linear", {.clients = 0}), HasSubstr("clients: '0'"));
  EXPECT_THAT(line("linear", {.noise = -1.0}), HasSubstr("noise: '-1'"));
  EXPECT_THAT(line("linear", {.features = 2000000}), HasSubstr("features: '2000000'"));
  EXPECT_THAT(line("adversary-partial", {.features = 5, .sample_size = 6}),
              HasSubstr("sample: '6'"));
  EXPECT_THAT(line("adversary-partial", {.rows = 1, .features = 100}), HasSubstr("rows: '1'"));
}

TEST(Generators, AFullDiskIsAnErrorInOneLine) {
  const auto status = write_csv(make("linear"), "/dev/full");
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().kind, ErrorKind::data);
}

}  // namespace
}  // namespace caucus
