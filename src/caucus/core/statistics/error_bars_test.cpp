#include "caucus/core/statistics/error_bars.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <utility>

#include "caucus/core/base/test_numbers.hpp"
#include "caucus/core/statistics/row_sums.hpp"

namespace caucus {
namespace {

TEST(RecentErrors, AreAMeanWithCubicWeights) {
  const std::vector<std::pair<double, double>> batches = {{90.0, 10}, {4.0, 20}, {9.0, 70}};
  RecentErrors errors;
  EXPECT_TRUE(errors.empty());
  for (const auto& [squares, examples] : batches) errors.add(squares, examples);
  errors.add(5.0, 0.0);  // of no examples
  const auto w = [](double end) { return std::pow(end / 100.0, 3); };
  EXPECT_NEAR(errors.mean(), (w(10) * 90 + w(30) * 4 + 9.0) / (w(10) * 10 + w(30) * 20 + 70.0),
              1e-14);
  errors.add(0.0, 1.0, 0.0);  // which forgets all others
  EXPECT_EQ(errors.mean(), 0.0);
}

TEST(RecentErrors, AreRestored) {
  RecentErrors errors;
  errors.add(3.0, 7.0);
  StateWriter to;
  errors.save(to);
  const std::string bytes = to.take();
  StateReader from(bytes, "errors");
  RecentErrors restored;
  ASSERT_TRUE(restored.restore(from).ok());
  EXPECT_TRUE(from.done().ok());
  for (RecentErrors* each : {&errors, &restored}) each->add(1.0, 2.0);
  EXPECT_EQ(errors.mean(), restored.mean());
}

/// z'(A + R)^-1 z by elimination of [[A + R, z], [z', 0]].
Exact leverage(const std::vector<Doubles>& z, const Ridge& ridge, const Doubles& at) {
  const std::size_t d = at.size();
  std::vector<std::vector<Exact>> rows(d + 1, std::vector<Exact>(d + 1, 0.0L));
  for (std::size_t k = 0; k < d; ++k) {
    rows[k][k] = static_cast<Exact>(k < ridge.first ? ridge.of_first : ridge.value);
    rows[k][d] = rows[d][k] = static_cast<Exact>(at[k]);
    for (const Doubles& row : z) {
      for (std::size_t l = 0; l < d; ++l) rows[k][l] += static_cast<Exact>(row[k] * row[l]);
    }
  }
  for (std::size_t k = 0; k < d; ++k) {
    for (std::size_t l = k + 1; l <= d; ++l) {
      const Exact factor = rows[l][k] / rows[k][k];
      for (std::size_t m = k; m <= d; ++m) rows[l][m] -= factor * rows[k][m];
    }
  }
  return -rows[d][d];
}

RC_GTEST_PROP(ErrorBars, GrowWithTheDistanceFromTheExamples, ()) {
  Stream stream({.seed = *rc::gen::arbitrary<std::uint64_t>()});
  const auto features = *rc::gen::inRange<std::size_t>(1, 12);
  const bool intercept = *rc::gen::arbitrary<bool>();
  const auto examples = *rc::gen::inRange<std::size_t>(0, 40);
  const std::size_t size = features + (intercept ? 1 : 0);
  const Ridge ridge{0.1, features, 0.3};
  RowSums sums(size + 1);
  std::vector<Doubles> z;
  for (std::size_t n = 0; n < examples; ++n) {
    Floats row = normals(features, stream);
    if (intercept) row.push_back(1.0F);
    sums.add(1.0F, 2.0F, row);
    z.emplace_back(row.begin(), row.end());
  }
  Floats triangle(triangle_size(size + 1));
  sums.write_triangle(size + 1, triangle);
  SymmetricMatrix all(size + 1);
  all.add_triangle(size + 1, triangle);
  const ErrorBars bars{4.0, ridge_factor(all, ridge, size)};
  RC_ASSERT(bars.factor.size() == triangle_size(size));
  for (const double distance : {0.5, 20.0}) {
    const Floats x = normals(features, distance, stream);
    Doubles at(x.begin(), x.end());
    if (intercept) at.push_back(1.0);
    const auto expected = static_cast<double>(4.0L * (1.0L + leverage(z, ridge, at)));
    RC_ASSERT(std::abs(bars.variance_at(x) - expected) <= 1e-3 * expected);
  }
}

TEST(ErrorBars, AreOneWidthWithoutALinearSpace) {
  EXPECT_EQ((ErrorBars{0.25}.variance_at(Floats{1.0F, 100.0F})), 0.25);
}

TEST(ErrorBars, HaveTheQuantilesOfTheNormalDistribution) {
  EXPECT_NEAR(central_quantile(0.5), 0.674489750196082, 1e-12);
  EXPECT_NEAR(central_quantile(0.9), 1.644853626951473, 1e-12);
  EXPECT_NEAR(central_quantile(0.95), 1.959963984540054, 1e-12);
  EXPECT_NEAR(central_quantile(0.999999), 4.891638475699410, 1e-9);
}

}  // namespace
}  // namespace caucus
