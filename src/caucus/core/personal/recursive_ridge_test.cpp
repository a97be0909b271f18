#include "caucus/core/personal/recursive_ridge.hpp"
#include "caucus/core/base/test_numbers.hpp"
#include "caucus/core/simd/kernels.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace caucus {
namespace {

Doubles normal_doubles(std::size_t size, Stream& stream) {
  Doubles values(size);
  for (double& value : values) value = stream.normal();
  return values;
}

/// Solves A w = b by elimination with pivoting.
Doubles eliminate(std::vector<Doubles> A, Doubles b) {
  const std::size_t d = b.size();
  for (std::size_t k = 0; k < d; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < d; ++i) {
      if (std::abs(A[i][k]) > std::abs(A[pivot][k])) pivot = i;
    }
    std::swap(A[k], A[pivot]);
    std::swap(b[k], b[pivot]);
    for (std::size_t i = k + 1; i < d; ++i) {
      const double factor = A[i][k] / A[k][k];
      for (std::size_t j = k; j < d; ++j) A[i][j] -= factor * A[k][j];
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t k = d; k-- > 0;) {
    for (std::size_t j = k + 1; j < d; ++j) b[k] -= A[k][j] * b[j];
    b[k] /= A[k][k];
  }
  return b;
}

/// Ridge regression on the first `used` features, from all examples at once.
Doubles ridge_at_once(const std::vector<Doubles>& features, const Doubles& y, std::size_t used,
                      double ridge) {
  std::vector<Doubles> A(used, Doubles(used, 0.0));
  Doubles b(used, 0.0);
  for (std::size_t i = 0; i < used; ++i) A[i][i] = ridge;
  for (std::size_t t = 0; t < y.size(); ++t) {
    for (std::size_t i = 0; i < used; ++i) {
      for (std::size_t j = 0; j < used; ++j) A[i][j] += features[t][i] * features[t][j];
      b[i] += features[t][i] * y[t];
    }
  }
  return eliminate(std::move(A), std::move(b));
}

RC_GTEST_PROP(RecursiveRidge, EqualsRidgeRegressionForEveryTargetAndNumberOfFeatures, ()) {
  const auto d = *rc::gen::inRange<std::size_t>(1, 9);
  const auto T = *rc::gen::inRange<std::size_t>(0, 40);
  const double ridge = std::pow(10.0, *rc::gen::inRange(-3, 2));
  Stream stream({.seed = *rc::gen::arbitrary<std::uint64_t>()});
  RecursiveRidge recursive(d, ridge, 1.0, 2);
  std::vector<Doubles> features;
  std::vector<Doubles> targets(2);
  for (std::size_t t = 0; t < T; ++t) {
    features.push_back(normal_doubles(d, stream));
    const Doubles y = normal_doubles(2, stream);
    targets[0].push_back(y[0]);
    targets[1].push_back(y[1]);
    recursive.observe(features.back(), y);
  }
  const Doubles query = normal_doubles(d, stream);
  auto projection = recursive.new_projection();
  for (std::size_t target = 0; target < 2; ++target) {
    recursive.begin(query, projection);
    for (std::size_t used = 1; used <= d; ++used) {
      const Doubles w = ridge_at_once(features, targets[target], used, ridge);
      double expected = 0.0;
      for (std::size_t k = 0; k < used; ++k) expected += w[k] * query[k];
      const double allowed = 1e-8 * (1.0 + std::abs(expected));
      recursive.project(used, projection);
      RC_ASSERT(std::abs(recursive.forecast(projection, target) - expected) < allowed);
      const double alone = recursive.predict(std::span(query).first(used), target);
      RC_ASSERT(alone == recursive.forecast(projection, target));
    }
  }
}

RC_GTEST_PROP(RecursiveRidge, ForgettingWeighsExamplesAndRenewsTheRidgeInTurn, ()) {
  const auto d = *rc::gen::inRange<std::size_t>(1, 12);
  const auto T = *rc::gen::inRange<std::size_t>(1, 60);
  const double ridge = 0.03;
  const double forgetting = 0.9;
  Stream stream({.seed = *rc::gen::arbitrary<std::uint64_t>()});
  RecursiveRidge recursive(d, ridge, forgetting);
  std::vector<Doubles> A(d, Doubles(d, 0.0));
  Doubles b(d, 0.0);
  for (std::size_t k = 0; k < d; ++k) A[k][k] = ridge;
  for (std::size_t t = 0; t < T; ++t) {
    const Doubles z = normal_doubles(d, stream);
    const double y = stream.normal();
    recursive.observe(z, y);
    for (std::size_t i = 0; i < d; ++i) {
      for (std::size_t j = 0; j < d; ++j) A[i][j] = forgetting * A[i][j] + z[i] * z[j];
      b[i] = forgetting * b[i] + z[i] * y;
    }
    A[t % d][t % d] += ridge * (1.0 - std::pow(forgetting, static_cast<double>(d)));
  }
  const Doubles query = normal_doubles(d, stream);
  const Doubles w = eliminate(A, b);
  double expected = 0.0;
  for (std::size_t k = 0; k < d; ++k) expected += w[k] * query[k];
  RC_ASSERT(std::abs(recursive.predict(query) - expected) < 1e-8 * (1.0 + std::abs(expected)));
}

TEST(RecursiveRidge, AllVariantsOfTheKernelsAgree) {
  std::vector<double> fused;
  double portable = 0.0;
  for (const simd::Kernels* each : simd::runnable()) {
    ASSERT_TRUE(simd::select(each->name).ok());
    Stream stream({.seed = 5});
    RecursiveRidge ridge(21, 0.03, 0.98, 2);
    for (int t = 0; t < 100; ++t) {
      const Doubles z = normal_doubles(21, stream);
      ridge.observe(z, normal_doubles(2, stream));
    }
    const double forecast = ridge.predict(normal_doubles(21, stream), 1);
    const bool is_portable = each == simd::runnable().front();
    (is_portable ? portable : fused.emplace_back()) = forecast;
  }
  ASSERT_TRUE(simd::select("auto").ok());
  for (const double forecast : fused) {
    EXPECT_EQ(forecast, fused.front());
    EXPECT_NEAR(forecast, portable, 1e-9 * std::abs(portable));
  }
}

TEST(RecursiveRidge, ForgettingFollowsAChangeThatMemoryMisses) {
  RecursiveRidge forgetting(2, 0.01, 0.95);
  RecursiveRidge steady(2, 0.01);
  Stream stream({.seed = 3});
  for (int t = 0; t < 400; ++t) {
    const Doubles z = normal_doubles(2, stream);
    const double y = (t < 300 ? 1.0 : -1.0) * z[0] + z[1];
    forgetting.observe(z, y);
    steady.observe(z, y);
  }
  EXPECT_NEAR(forgetting.predict(Doubles{1.0, 0.0}), -1.0, 0.05);
  EXPECT_GT(steady.predict(Doubles{1.0, 0.0}), 0.3);
}

TEST(RecursiveRidge, TheRidgeDoesNotFadeWithForgetting) {
  RecursiveRidge ridge(3, 0.5, 0.9);
  for (int t = 0; t < 5000; ++t) ridge.observe(Doubles{0.0, 0.0, 0.0}, 1.0);
  ridge.observe(Doubles{1.0, 0.0, 0.0}, 1.0);
  // One example against a ridge between 0.5 * 0.9^3 and 0.5.
  const double forecast = ridge.predict(Doubles{1.0, 0.0, 0.0});
  EXPECT_GE(forecast, 1.0 / 1.5 - 1e-12);
  EXPECT_LE(forecast, 1.0 / (1.0 + 0.5 * 0.9 * 0.9 * 0.9) + 1e-12);
}

/// Returns the largest forecast after each of many examples, at unit vectors.
template <class Examples>
double largest_forecast(double forgetting, const Examples& example) {
  constexpr std::size_t d = 5;
  RecursiveRidge ridge(d, 0.01, forgetting);
  double largest = 0.0;
  for (int t = 0; t < 100000; ++t) {
    const auto [z, y] = example(t);
    ridge.observe(z, y);
    if (t % 97 != 0) continue;
    for (std::size_t k = 0; k < d; ++k) {
      Doubles unit(d, 0.0);
      unit[k] = 1.0;
      const double forecast = std::abs(ridge.predict(unit));
      if (!(forecast <= largest)) largest = forecast;  // keeps NaN
    }
  }
  return largest;
}

TEST(RecursiveRidge, NeverDiverges) {
  using Example = std::pair<Doubles, double>;
  for (const double forgetting : {1.0, 0.99, 0.95, 0.5}) {
    Stream stream({.seed = 7});
    const auto random = [&](int) { return Example(normal_doubles(5, stream), stream.normal()); };
    EXPECT_LT(largest_forecast(forgetting, random), 20.0) << forgetting;
    const auto constant = [](int) { return Example(Doubles(5, 1.0), 1.0); };
    EXPECT_LT(largest_forecast(forgetting, constant), 1.1) << forgetting;
    const auto zero = [](int) { return Example(Doubles(5, 0.0), 1.0); };
    EXPECT_EQ(largest_forecast(forgetting, zero), 0.0) << forgetting;
    const auto collinear = [&](int) {
      const double a = stream.normal();
      return Example(Doubles{a, 2.0 * a, -a, 1e-6 * a, 0.0}, a);
    };
    EXPECT_LT(largest_forecast(forgetting, collinear), 2.0) << forgetting;
    const auto huge = [&](int t) {
      Doubles z = normal_doubles(5, stream);
      for (double& value : z) value *= t % 100 == 0 ? 1e50 : 1.0;
      return Example(z, t % 1000 == 0 ? 1e50 : stream.normal());
    };
    EXPECT_LT(largest_forecast(forgetting, huge), 1e55) << forgetting;
    const auto tiny = [&](int) {
      Doubles z = normal_doubles(5, stream);
      for (double& value : z) value *= 1e-200;
      return Example(z, 1.0);
    };
    EXPECT_LT(largest_forecast(forgetting, tiny), 1e-100) << forgetting;
  }
}

TEST(RecursiveRidge, ExamplesThatAreNoNumbersAreIgnored) {
  RecursiveRidge ridge(2, 0.1, 0.9);
  ridge.observe(Doubles{1.0, 2.0}, 1.0);
  const double before = ridge.predict(Doubles{1.0, 1.0});
  for (const double bad : {kInfinity, -kInfinity, std::numeric_limits<double>::quiet_NaN(), 1e61}) {
    ridge.observe(Doubles{1.0, bad}, 1.0);
    ridge.observe(Doubles{1.0, 1.0}, bad);
  }
  EXPECT_EQ(ridge.predict(Doubles{1.0, 1.0}), before);
}

RC_GTEST_PROP(RecursiveRidge, ContinuesBitForBitAfterRestoring, ()) {
  Stream stream({.seed = *rc::gen::arbitrary<std::uint64_t>()});
  const double forgetting = *rc::gen::element(1.0, 0.97);
  RecursiveRidge ridge(4, 0.03, forgetting, 2);
  const auto observe = [](RecursiveRidge& into, Stream& from, int count) {
    for (int t = 0; t < count; ++t) {
      const Doubles z = normal_doubles(4, from);
      into.observe(z, normal_doubles(2, from));
    }
  };
  observe(ridge, stream, *rc::gen::inRange(0, 20));
  StateWriter writer;
  ridge.save(writer);
  RecursiveRidge restored(4, 0.03, forgetting, 2);
  StateReader reader(writer.bytes());
  RC_ASSERT(restored.restore(reader).ok());
  RC_ASSERT(reader.done().ok());
  Stream same = stream;
  observe(ridge, stream, 9);
  observe(restored, same, 9);
  StateWriter one;
  StateWriter other;
  ridge.save(one);
  restored.save(other);
  RC_ASSERT(one.bytes() == other.bytes());
  const Doubles query = normal_doubles(4, stream);
  RC_ASSERT(ridge.predict(query, 1) == restored.predict(query, 1));
}

TEST(RecursiveRidge, RefusesAStateThatNoExamplesGive) {
  const auto refuses = [](const Doubles& factor, std::uint64_t next) {
    StateWriter writer;
    writer.numbers(factor);
    writer.u64(next);
    RecursiveRidge ridge(2, 0.1, 0.9);
    StateReader reader(writer.bytes());
    return !ridge.restore(reader).ok();
  };
  EXPECT_FALSE(refuses({1.0, 0.5, 0.0, 1.0, 0.0}, 1));
  EXPECT_TRUE(refuses({1.0, 0.5, 0.0, 1.0, 0.0}, 2));
  EXPECT_TRUE(refuses({0.0, 0.5, 0.0, 1.0, 0.0}, 1));
  EXPECT_TRUE(refuses({1.0, 0.5, 0.0, -1.0, 0.0}, 1));
  EXPECT_TRUE(refuses({1.0, kInfinity, 0.0, 1.0, 0.0}, 1));
  EXPECT_TRUE(refuses({1.0, 0.5, 0.0, 1.0}, 1));
}

}  // namespace
}  // namespace caucus
