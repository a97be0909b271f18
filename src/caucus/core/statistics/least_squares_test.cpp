#include "caucus/core/statistics/least_squares.hpp"
#include "caucus/core/base/test_numbers.hpp"
#include "caucus/core/statistics/row_sums.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace caucus {
namespace {

/// Examples whose sums, products of small integers, are exact in floats.
struct Regression {
  std::vector<Floats> z;
  Floats y;

  static Regression random(std::size_t examples, std::size_t d, Stream& stream) {
    const auto integer = [&] { return static_cast<float>(stream.below(17)) - 8.0F; };
    Regression made;
    for (std::size_t n = 0; n < examples; ++n) {
      Floats& row = made.z.emplace_back(d);
      for (float& value : row) value = integer();
      made.y.push_back(integer());
    }
    return made;
  }
  [[nodiscard]] SymmetricMatrix sums(std::size_t d) const {
    RowSums rows(d + 1);
    for (std::size_t n = 0; n < z.size(); ++n) rows.add(1.0F, y[n], z[n]);
    Floats triangle(triangle_size(d + 1));
    rows.write_triangle(d + 1, triangle);
    SymmetricMatrix sums(d + 1);
    sums.add_triangle(d + 1, triangle);
    return sums;
  }
};

/// (A + ridge) w - b, half of the gradient, from the examples themselves.
Doubles half_gradient(const Regression& data, const Ridge& ridge, const Doubles& w) {
  Doubles gradient(w.size());
  for (std::size_t k = 0; k < w.size(); ++k) {
    gradient[k] = (k < ridge.first ? ridge.of_first : ridge.value) * w[k];
  }
  for (std::size_t n = 0; n < data.z.size(); ++n) {
    double error = -static_cast<double>(data.y[n]);
    for (std::size_t k = 0; k < w.size(); ++k) error += w[k] * static_cast<double>(data.z[n][k]);
    for (std::size_t k = 0; k < w.size(); ++k) {
      gradient[k] += error * static_cast<double>(data.z[n][k]);
    }
  }
  return gradient;
}

/// Solves (A + ridge) w = b by Gauss elimination with pivots.
Doubles by_elimination(const Regression& data, const Ridge& ridge, std::size_t d) {
  std::vector<std::vector<Exact>> rows(d, std::vector<Exact>(d + 1, 0.0L));
  for (std::size_t k = 0; k < d; ++k) {
    rows[k][k] = static_cast<Exact>(k < ridge.first ? ridge.of_first : ridge.value);
    for (std::size_t n = 0; n < data.z.size(); ++n) {
      const auto factor = static_cast<Exact>(data.z[n][k]);
      for (std::size_t l = 0; l < d; ++l) rows[k][l] += factor * static_cast<Exact>(data.z[n][l]);
      rows[k][d] += factor * static_cast<Exact>(data.y[n]);
    }
  }
  for (std::size_t k = 0; k < d; ++k) {
    std::size_t pivot = k;
    for (std::size_t l = k + 1; l < d; ++l) {
      if (std::abs(rows[l][k]) > std::abs(rows[pivot][k])) pivot = l;
    }
    std::swap(rows[k], rows[pivot]);
    for (std::size_t l = 0; l < d; ++l) {
      if (l == k) continue;
      const Exact factor = rows[l][k] / rows[k][k];
      for (std::size_t m = k; m <= d; ++m) rows[l][m] -= factor * rows[k][m];
    }
  }
  Doubles w(d);
  for (std::size_t k = 0; k < d; ++k) w[k] = static_cast<double>(rows[k][d] / rows[k][k]);
  return w;
}

double length(const Doubles& w) {
  double squares = 0.0;
  for (const double value : w) squares += value * value;
  return std::sqrt(squares);
}

RC_GTEST_PROP(LeastSquares, AgreesWithPlainElimination, ()) {
  Stream stream({.seed = *rc::gen::arbitrary<std::uint64_t>()});
  const auto d = *rc::gen::inRange<std::size_t>(1, 40);
  const auto examples = *rc::gen::inRange<std::size_t>(0, 60);  // with fewer than d, A is singular
  const Ridge ridge{0.1, *rc::gen::inRange<std::size_t>(0, d + 1), 3.0};
  const Regression data = Regression::random(examples, d, stream);
  Doubles w(d, 99.0);
  RC_ASSERT(solve_least_squares(data.sums(d), ridge, {}, w));
  const Doubles expected = by_elimination(data, ridge, d);
  for (std::size_t k = 0; k < d; ++k) {
    RC_ASSERT(std::abs(w[k] - expected[k]) < 1e-8 * (1.0 + length(expected)));
  }
}

RC_GTEST_PROP(LeastSquares, CoordinatesWithoutDataAreZeroAndChangeNothing, ()) {
  Stream stream({.seed = *rc::gen::arbitrary<std::uint64_t>()});
  const auto d = *rc::gen::inRange<std::size_t>(1, 20);
  const auto more = *rc::gen::inRange<std::size_t>(1, 20);
  const Regression data = Regression::random(30, d, stream);
  const Ridge ridge{0.1, *rc::gen::inRange<std::size_t>(0, d + more), 3.0};
  const Region region{.constraint = *rc::gen::element(Constraint::ball, Constraint::box),
                      .radius = *rc::gen::element(0.5, 100.0, kInfinity)};
  Regression longer = data;
  for (Floats& row : longer.z) row.resize(d + more, 0.0F);
  Doubles w(d + more, 99.0);
  RC_ASSERT(solve_least_squares(longer.sums(d + more), ridge, region, w));
  Doubles of_leading_sums(d + more, 99.0);
  RC_ASSERT(solve_least_squares(data.sums(d), ridge, region, of_leading_sums));
  RC_ASSERT(of_leading_sums == w);
  for (std::size_t k = d; k < w.size(); ++k) RC_ASSERT(w[k] == 0.0);
  if (region.constraint == Constraint::box) return;  // its bound depends on the dimension
  Doubles leading(d, 99.0);
  RC_ASSERT(solve_least_squares(data.sums(d), ridge, region, leading));
  w.resize(d);
  RC_ASSERT(w == leading);
}

RC_GTEST_PROP(LeastSquares, FindsTheMinimumOnTheBall, ()) {
  Stream stream({.seed = *rc::gen::arbitrary<std::uint64_t>()});
  const auto d = *rc::gen::inRange<std::size_t>(1, 25);
  const Regression data = Regression::random(*rc::gen::inRange<std::size_t>(1, 50), d, stream);
  const Ridge ridge{0.1, *rc::gen::inRange<std::size_t>(0, d + 1), 3.0};
  const Doubles free = by_elimination(data, ridge, d);
  const double radius = std::pow(2.0, *rc::gen::inRange(-8, 4));
  Doubles w(d);
  RC_ASSERT(solve_least_squares(data.sums(d), ridge, {.radius = radius}, w));
  RC_ASSERT(length(w) <= radius * (1.0 + 1e-9));
  // The gradient points from w to 0, and vanishes inside the ball: (A + ridge + m) w = b, m >= 0.
  const Doubles gradient = half_gradient(data, ridge, w);
  double along = 0.0;
  for (std::size_t k = 0; k < d; ++k) along -= gradient[k] * w[k] / (radius * radius);
  const double scale = 1.0 + length(half_gradient(data, ridge, Doubles(d, 0.0)));
  RC_ASSERT(along >= -1e-9 * scale);
  if (length(free) < radius * (1.0 - 1e-9)) along = 0.0;
  for (std::size_t k = 0; k < d; ++k) {
    RC_ASSERT(std::abs(gradient[k] + along * w[k]) < 1e-7 * scale);
  }
}

RC_GTEST_PROP(LeastSquares, FindsTheMinimumOnTheBox, ()) {
  Stream stream({.seed = *rc::gen::arbitrary<std::uint64_t>()});
  const auto d = *rc::gen::inRange<std::size_t>(1, 25);
  const Regression data = Regression::random(*rc::gen::inRange<std::size_t>(1, 50), d, stream);
  const Ridge ridge{0.1, *rc::gen::inRange<std::size_t>(0, d + 1), 3.0};
  const double radius = std::pow(2.0, *rc::gen::inRange(-8, 4));
  Doubles w(d);
  RC_ASSERT(solve_least_squares(data.sums(d), ridge, {Constraint::box, radius, nullptr}, w));
  const double side = radius / std::sqrt(static_cast<double>(d));
  const Doubles gradient = half_gradient(data, ridge, w);
  const double scale = 1.0 + length(half_gradient(data, ridge, Doubles(d, 0.0)));
  for (std::size_t k = 0; k < d; ++k) {
    RC_ASSERT(std::abs(w[k]) <= side * (1.0 + 1e-9));
    // Inside the gradient vanishes; at a side it points outwards or vanishes.
    if (w[k] < side * (1.0 - 1e-6)) RC_ASSERT(gradient[k] > -1e-6 * scale);
    if (w[k] > -side * (1.0 - 1e-6)) RC_ASSERT(gradient[k] < 1e-6 * scale);
  }
}

TEST(LeastSquares, AnInfiniteBoxIsNoConstraint) {
  Stream stream({.seed = 2});
  const Regression data = Regression::random(20, 5, stream);
  Doubles w(5);
  ASSERT_TRUE(solve_least_squares(data.sums(5), {0.1}, {Constraint::box, kInfinity, nullptr}, w));
  const Doubles expected = by_elimination(data, {0.1}, 5);
  for (std::size_t k = 0; k < 5; ++k) EXPECT_NEAR(w[k], expected[k], 1e-9);
}

TEST(LeastSquares, WithoutExamplesTheModelIsZero) {
  for (const Constraint constraint : {Constraint::ball, Constraint::box}) {
    Doubles w(9, 5.0);
    ASSERT_TRUE(solve_least_squares(SymmetricMatrix(10), {0.003}, {constraint, 1.0, nullptr}, w));
    for (const double value : w) EXPECT_NEAR(value, 0.0, 1e-12);
  }
}

TEST(LeastSquares, SumsThatDetermineNothingLeaveTheModel) {
  const Doubles before = {1.0, 2.0, 3.0};
  Doubles w = before;
  EXPECT_FALSE(solve_least_squares(SymmetricMatrix(4), {}, {}, w));
  EXPECT_EQ(w, before);
  for (const float wrong :
       {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    for (std::size_t place = 0; place < triangle_size(4); ++place) {
      for (const Constraint constraint : {Constraint::ball, Constraint::box}) {
        Floats triangle(triangle_size(4), 1.0F);
        triangle[place] = wrong;
        SymmetricMatrix sums(4);
        sums.add_triangle(4, triangle);
        const bool solved = solve_least_squares(sums, {0.1}, {constraint, 2.0, nullptr}, w);
        EXPECT_EQ(solved, place == 0) << place;  // the sum of y^2 is not used
        if (place > 0) {
          EXPECT_EQ(w, before);
        }
        w = before;
      }
    }
  }
}

TEST(LeastSquares, HugeSumsStayInTheRegion) {
  Stream stream({.seed = 12});
  for (const Constraint constraint : {Constraint::ball, Constraint::box}) {
    for (const double scale : {1e-60, 1e30, 1e60, 1e150}) {
      SymmetricMatrix sums = Regression::random(20, 6, stream).sums(6);
      sums.scale(scale);
      Doubles w(6, 0.0);
      ASSERT_TRUE(solve_least_squares(sums, {0.003}, {constraint, 0.5, nullptr}, w)) << scale;
      EXPECT_LE(length(w), 0.5 * (1.0 + 1e-6)) << scale;
    }
  }
}

RC_GTEST_PROP(SumOfSquares, IsTheLossOnTheExamples, ()) {
  Stream stream({.seed = *rc::gen::arbitrary<std::uint64_t>()});
  const auto d = *rc::gen::inRange<std::size_t>(1, 40);
  const Regression data = Regression::random(*rc::gen::inRange<std::size_t>(0, 50), d, stream);
  // A shorter model is one whose other weights are 0; what S does not have is not used.
  Doubles w(*rc::gen::inRange<std::size_t>(0, d + 5));
  for (double& value : w) value = stream.normal();
  double expected = 0.0;
  for (std::size_t n = 0; n < data.z.size(); ++n) {
    double error = -static_cast<double>(data.y[n]);
    for (std::size_t k = 0; k < std::min(d, w.size()); ++k) {
      error += w[k] * static_cast<double>(data.z[n][k]);
    }
    expected += error * error;
  }
  const double found = sum_of_squares(data.sums(d), w);
  RC_ASSERT(std::abs(found - expected) <= 1e-10 * (1.0 + expected));
}

TEST(SumOfSquares, IsNeverNegative) {
  // The sums are floats, so that an exact fit may come out below 0.
  RowSums rows(3);
  Stream stream({.seed = 1});
  for (int n = 0; n < 100; ++n) {
    const Floats z = normals(2, stream);
    rows.add(1.0F, 0.3F * z[0] - 0.7F * z[1], z);
  }
  Floats triangle(triangle_size(3));
  rows.write_triangle(3, triangle);
  SymmetricMatrix sums(3);
  sums.add_triangle(3, triangle);
  const double loss = sum_of_squares(sums, Doubles{0.3, -0.7});
  EXPECT_GE(loss, 0.0);
  EXPECT_LT(loss, 1e-4);
}

TEST(LeastSquares, OfSeveralTargetsIsThatOfEachTarget) {
  constexpr std::size_t kTargets = 3;
  constexpr std::size_t kCoordinates = 5;
  Stream stream({.seed = 5});
  const auto data = Regression::random(20, kCoordinates, stream);
  std::vector<Regression> of_target(kTargets, data);
  RowSums rows(kTargets + kCoordinates);
  for (std::size_t n = 0; n < data.z.size(); ++n) {
    Floats y;
    for (Regression& one : of_target) {
      one.y[n] = static_cast<float>(stream.below(9));
      y.push_back(one.y[n]);
    }
    rows.add(1.0F, y, data.z[n]);
  }
  Floats triangle(triangle_size(kTargets + kCoordinates));
  rows.write_triangle(kTargets + kCoordinates, triangle);
  SymmetricMatrix sums(kTargets + kCoordinates);
  sums.add_triangle(sums.size(), triangle);
  const Ridge ridge{0.5, 2, 1.0};
  for (const double radius : {HUGE_VAL, 0.1}) {
    for (const Constraint constraint : {Constraint::ball, Constraint::box}) {
      const Region region{.constraint = constraint, .radius = radius};
      Doubles all(kTargets * kCoordinates);
      ASSERT_TRUE(solve_least_squares(sums, ridge, region, all, kTargets));
      double squares = 0.0;
      for (std::size_t c = 0; c < kTargets; ++c) {
        Doubles one(kCoordinates);
        const SymmetricMatrix own = of_target[c].sums(kCoordinates);
        ASSERT_TRUE(solve_least_squares(own, ridge, region, one));
        const auto begin = all.begin() + static_cast<std::ptrdiff_t>(c * kCoordinates);
        EXPECT_EQ(Doubles(begin, begin + kCoordinates), one);
        squares += sum_of_squares(own, one);
      }
      EXPECT_NEAR(sum_of_squares(sums, all, kTargets), squares, 1e-9 * squares);
    }
  }
}

}  // namespace
}  // namespace caucus
