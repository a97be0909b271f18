#include "caucus/core/solvers/quadratic.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "caucus/core/solvers/test_quadratic.hpp"

namespace caucus {
namespace {

using testing::Problem;
using testing::random_problem;

/// Gaussian elimination with pivoting; false if nearly singular.
bool solve(std::vector<std::vector<double>> M, std::vector<double>& x) {
  const std::size_t n = x.size();
  for (std::size_t c = 0; c < n; ++c) {
    std::size_t pivot = c;
    for (std::size_t r = c; r < n; ++r) {
      if (std::abs(M[r][c]) > std::abs(M[pivot][c])) pivot = r;
    }
    if (std::abs(M[pivot][c]) < 1e-10) return false;
    std::swap(M[c], M[pivot]);
    std::swap(x[c], x[pivot]);
    for (std::size_t r = 0; r < n; ++r) {
      if (r == c) continue;
      const double factor = M[r][c] / M[c][c];
      for (std::size_t k = c; k < n; ++k) M[r][k] -= factor * M[c][k];
      x[r] -= factor * x[c];
    }
  }
  for (std::size_t c = 0; c < n; ++c) x[c] /= M[c][c];
  return true;
}

/// Every way to put coordinates at -B, at B or free: 3^d systems. Where a face has a singular
/// system, a face of that face has the minimum too.
double brute_force(const Problem& p, double bound) {
  const std::size_t d = p.dimension();
  double best = std::numeric_limits<double>::infinity();
  std::size_t ways = 1;
  for (std::size_t k = 0; k < d; ++k) ways *= 3;
  for (std::size_t way = 0; way < ways; ++way) {
    std::vector<double> w(d, 0.0);
    std::vector<std::size_t> free;
    for (std::size_t k = 0, code = way; k < d; ++k, code /= 3) {
      if (code % 3 == 2) free.push_back(k);
      if (code % 3 != 2) w[k] = code % 3 == 0 ? -bound : bound;
    }
    const auto g = testing::gradient(p, w);
    std::vector<double> x;
    std::vector<std::vector<double>> M;
    for (const auto i : free) {
      x.push_back(-g[i]);
      M.emplace_back();
      for (const auto j : free) M.back().push_back(p.A[i * d + j]);
    }
    if (!solve(M, x)) continue;
    bool inside = true;
    for (std::size_t i = 0; i < free.size(); ++i) {
      w[free[i]] = x[i];
      inside = inside && std::abs(x[i]) <= bound;
    }
    if (inside) best = std::min(best, testing::value(p, w));
  }
  return best;
}

TEST(QuadraticBox, AgreesWithTheEnumerationOfAllFaces) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const std::size_t d = 1 + seed % 4;
    const Problem p = random_problem(seed, d, (seed / 4) % (d + 2));
    const double bound = std::pow(10.0, static_cast<double>(seed % 7) - 3.0);
    const auto best = minimise_on_box(p.form(), bound);
    const double exact = brute_force(p, bound);
    EXPECT_NEAR(best.value, exact, 1e-10 * (std::abs(exact) + 1e-3 * bound)) << seed;
    EXPECT_GE(exact, best.value - best.gap - 1e-12 * std::abs(exact)) << seed;
  }
}

RC_GTEST_PROP(QuadraticBox, MeetsTheOptimalityConditionsForAnyRankAndBound, ()) {
  const auto d = *rc::gen::inRange<std::size_t>(1, 25);
  const auto rank = *rc::gen::inRange<std::size_t>(0, 2 * d);
  const auto seed = *rc::gen::inRange<std::uint64_t>(1, 1000000);
  const double bound = std::pow(10.0, *rc::gen::inRange(-4, 4));
  const double smallest = std::pow(10.0, -*rc::gen::inRange(0, 13));
  const Problem p = random_problem(seed, d, rank, smallest, *rc::gen::arbitrary<bool>());
  const auto best = minimise_on_box(p.form(), bound);
  const auto g = testing::gradient(p, best.weights);
  const double size = testing::norm(p.b) + testing::trace(p) * testing::norm(best.weights);
  for (std::size_t k = 0; k < d; ++k) {
    RC_ASSERT(std::abs(best.weights[k]) <= bound);
    // Every coordinate is stationary, or sits where the gradient pushes it.
    const double pushed = g[k] > 0.0 ? -bound : bound;
    RC_ASSERT(std::abs(g[k]) * std::abs(best.weights[k] - pushed) <= 1e-9 * size * bound);
  }
  RC_ASSERT(best.gap <= 1e-9 * size * bound);
}

TEST(QuadraticBox, CopesWithTheGramMatrixOfAWideKernel) {
  constexpr std::size_t kFrequencies = 30;
  constexpr std::size_t d = 2 * kFrequencies;
  Stream stream({.seed = 5, .purpose = Purpose::test});
  std::vector<double> omegas(3 * kFrequencies);
  for (double& omega : omegas) omega = stream.normal() / 16.0;
  Problem p{std::vector<double>(d * d, 0.0), std::vector<double>(d, 0.0)};
  std::vector<double> z(d);
  for (int row = 0; row < 1000; ++row) {
    const double x[] = {stream.uniform(), stream.uniform(), stream.uniform()};
    for (std::size_t f = 0; f < kFrequencies; ++f) {
      const double angle = testing::dot({omegas.data() + 3 * f, 3}, x);
      z[f] = std::cos(angle) / std::sqrt(kFrequencies);
      z[kFrequencies + f] = std::sin(angle) / std::sqrt(kFrequencies);
    }
    const double y = std::sin(3.0 * x[0]) + x[1] * x[2] + 0.1 * stream.normal();
    for (std::size_t i = 0; i < d; ++i) {
      for (std::size_t j = 0; j < d; ++j) p.A[i * d + j] += z[i] * z[j];
      p.b[i] += y * z[i];
    }
  }
  for (const double bound : {1e-2, 1.0, 1e2}) {
    const auto best = minimise_on_box(p.form(), bound);
    const double size = testing::trace(p) * testing::dot(best.weights, best.weights);
    EXPECT_LE(best.gap, 1e-13 * size + 1e-10 * std::abs(best.value)) << bound;
  }
}

TEST(QuadraticBox, ALinearFunctionIsMinimisedInACorner) {
  const Problem p{std::vector<double>(9, 0.0), {3.0, -4.0, 0.0}};
  const auto best = minimise_on_box(p.form(), 0.5);
  EXPECT_DOUBLE_EQ(best.weights[0], 0.5);
  EXPECT_DOUBLE_EQ(best.weights[1], -0.5);
  EXPECT_NEAR(best.value, -3.5, 1e-14);
  EXPECT_NEAR(best.gap, 0.0, 1e-14);
}

TEST(QuadraticBox, AWideBoxGivesTheUnconstrainedMinimum) {
  const Problem p = random_problem(11, 10, 15);
  const auto wide = minimise_on_box(p.form(), 1e4);
  const auto infinite = minimise_on_box(p.form(), std::numeric_limits<double>::infinity());
  EXPECT_NEAR(wide.value, infinite.value, 1e-12 * std::abs(infinite.value));
  EXPECT_LE(testing::norm(testing::gradient(p, wide.weights)), 1e-10);
}

TEST(QuadraticBox, ZeroBoundAndZeroDimensionsGiveZero) {
  const Problem p = random_problem(1, 3, 3);
  EXPECT_EQ(minimise_on_box(p.form(), 0.0).weights, std::vector<double>(3, 0.0));
  EXPECT_EQ(minimise_on_box(QuadraticForm{}, 1.0).value, 0.0);
}

}  // namespace
}  // namespace caucus
