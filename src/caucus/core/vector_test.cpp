#include "caucus/core/vector.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

#include "caucus/core/random.hpp"

namespace caucus {
namespace {

using Exact = long double;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::vector<float> normals(std::size_t size, Stream& stream) {
  std::vector<float> values(size);
  for (float& value : values) value = static_cast<float>(stream.normal());
  return values;
}

Stream any_stream() { return Stream({.seed = *rc::gen::arbitrary<std::uint64_t>()}); }

RC_GTEST_PROP(Vector, DotAgreesWithLongDouble, ()) {
  Stream stream = any_stream();
  const auto n = *rc::gen::inRange<std::size_t>(0, 500);
  const auto a = normals(n, stream);
  const auto b = normals(n, stream);
  Exact expected = 0;
  Exact size = 0;
  for (std::size_t k = 0; k < n; ++k) {
    expected += Exact(a[k]) * Exact(b[k]);
    size += std::abs(Exact(a[k]) * Exact(b[k]));
  }
  // Every term is rounded at most n / 16 + 2 times, to half a unit of 2^-23.
  const Exact bound = (static_cast<Exact>(n) / 16 + 2) * 0x1p-24L * size;
  RC_ASSERT(std::abs(Exact(dot(a, b)) - expected) <= bound);
  RC_ASSERT(squared_norm(a) == dot(a, a));
}

RC_GTEST_PROP(Vector, DotSumsSixteenLanesInOrder, ()) {
  Stream stream = any_stream();
  const auto n = *rc::gen::inRange<std::size_t>(0, 200);
  const auto a = normals(n, stream);
  std::array<float, 16> lanes{};
  for (std::size_t k = 0; k < n; ++k) lanes[k % 16] += a[k];
  double expected = 0.0;
  for (const float lane : lanes) expected += static_cast<double>(lane);
  // Products with 1 are exact, so that only the order of the additions is left to differ.
  RC_ASSERT(dot(a, std::vector<float>(n, 1.0F)) == expected);
}

RC_GTEST_PROP(Vector, AddingAndScalingRoundEachElementOnceOrTwice, ()) {
  Stream stream = any_stream();
  const auto n = *rc::gen::inRange<std::size_t>(0, 100);
  const auto x = normals(n, stream);
  const auto y = normals(n, stream);
  const auto factor = static_cast<float>(stream.normal());
  auto sum = y;
  add(sum, x);
  auto scaled = y;
  scale(scaled, factor);
  auto moved = y;
  add_scaled(moved, factor, x);
  for (std::size_t k = 0; k < n; ++k) {
    const auto dx = static_cast<double>(x[k]);
    const auto dy = static_cast<double>(y[k]);
    const auto df = static_cast<double>(factor);
    RC_ASSERT(sum[k] == static_cast<float>(dy + dx));
    RC_ASSERT(scaled[k] == static_cast<float>(df * dy));
    const double error = std::abs(static_cast<double>(moved[k]) - (df * dx + dy));
    RC_ASSERT(error <= 0x1p-23 * (std::abs(df * dx) + std::abs(dy)));
  }
}

RC_GTEST_PROP(Vector, ProjectAgreesWithLongDouble, ()) {
  Stream stream = any_stream();
  const auto inputs = *rc::gen::inRange<std::size_t>(0, 40);
  const auto outputs = *rc::gen::inRange<std::size_t>(1, 70);
  const auto base = normals(inputs * outputs, stream);
  const auto x = normals(inputs, stream);
  std::vector<float> out(outputs, 99.0F);  // what was there before must not matter
  project(base, x, out);
  for (std::size_t k = 0; k < outputs; ++k) {
    Exact expected = 0;
    Exact size = 0;
    for (std::size_t l = 0; l < inputs; ++l) {
      const Exact term = Exact(x[l]) * Exact(base[l * outputs + k]);
      expected += term;
      size += std::abs(term);
    }
    const Exact bound = static_cast<Exact>(inputs + 1) * 0x1p-24L * size;
    RC_ASSERT(std::abs(Exact(out[k]) - expected) <= bound);
  }
}

/// The largest error of scaled_sincos over the angles, as a part of the amplitude.
double worst_error(const std::vector<float>& angles, float factor, float amplitude) {
  std::vector<float> cosine(angles.size());
  std::vector<float> sine(angles.size());
  scaled_sincos(angles, factor, amplitude, cosine, sine);
  double worst = 0.0;
  for (std::size_t k = 0; k < angles.size(); ++k) {
    const auto x = static_cast<double>(angles[k] * factor);
    const auto a = static_cast<double>(amplitude);
    worst = std::max({worst, std::abs(static_cast<double>(cosine[k]) / a - std::cos(x)),
                      std::abs(static_cast<double>(sine[k]) / a - std::sin(x))});
  }
  return worst;
}

/// Angles of both signs whose logarithms are uniform between those of low and high.
std::vector<float> angles_between(double low, double high, std::size_t count) {
  Stream stream({.seed = 5});
  std::vector<float> angles;
  for (std::size_t i = 0; i < count; ++i) {
    const double size = low * std::pow(high / low, stream.uniform());
    angles.push_back(static_cast<float>(stream.below(2) == 0 ? size : -size));
  }
  return angles;
}

TEST(ScaledSincos, KeepsItsPromiseForTinyModerateAndLargeAngles) {
  EXPECT_LT(worst_error(angles_between(1e-38, 1.0, 20000), 1.0F, 1.0F), 2e-7);
  EXPECT_LT(worst_error(angles_between(1.0, 8192.0, 500000), 1.0F, 1.0F), 2e-7);
  EXPECT_LT(worst_error(angles_between(1.0, 1000.0, 100000), 0.37F, 0.1F), 2e-7);
}

TEST(ScaledSincos, KeepsItsPromiseForHugeAngles) {
  // One call for each range: a single angle out of reach sends its whole call to libm.
  for (const auto& [low, high] : {std::pair{8193.0, 2e4}, {2e4, 1e5}, {1e5, 1e8}, {1e8, 1e30}}) {
    EXPECT_LT(worst_error(angles_between(low, high, 100000), 1.0F, 1.0F), 2e-7) << low;
  }
  EXPECT_LT(worst_error(angles_between(1e4, 1e8, 100000), 16.0F, 0.1F), 2e-7);
}

TEST(ScaledSincos, KeepsItsPromiseNearEveryMultipleOfAQuarterOfPi) {
  std::vector<float> angles;
  for (int j = -10430; j <= 10430; ++j) {
    const auto x = static_cast<float>(j * std::numbers::pi / 4.0);
    angles.insert(angles.end(), {std::nextafter(x, -kInfinity), x, std::nextafter(x, kInfinity)});
  }
  EXPECT_LT(worst_error(angles, 1.0F, 1.0F), 2e-7);
}

TEST(ScaledSincos, ZeroIsExact) {
  float cosine = 0.0F;
  float sine = 1.0F;
  scaled_sincos(std::array{0.0F}, 3.0F, 0.5F, {&cosine, 1}, {&sine, 1});
  EXPECT_EQ(cosine, 0.5F);
  EXPECT_EQ(sine, 0.0F);
}

TEST(ScaledSincos, AnAngleThatIsNotFiniteCountsAsZeroAndHarmsNoOther) {
  const std::array angles = {std::numeric_limits<float>::quiet_NaN(), 1.0F, kInfinity, -kInfinity,
                             3e38F};
  std::array<float, 5> cosine{};
  std::array<float, 5> sine{};
  scaled_sincos(angles, 2.0F, 0.5F, cosine, sine);
  for (const std::size_t k : {0u, 2u, 3u, 4u}) {  // 2 * 3e38 overflows
    EXPECT_EQ(cosine[k], 0.5F) << k;
    EXPECT_EQ(sine[k], 0.0F) << k;
  }
  EXPECT_NEAR(static_cast<double>(cosine[1]), 0.5 * std::cos(2.0), 1e-7);
  EXPECT_NEAR(static_cast<double>(sine[1]), 0.5 * std::sin(2.0), 1e-7);
}

TEST(ScaledSincos, AnElementDoesNotDependOnItsNeighbours) {
  for (std::size_t n = 1; n <= 67; ++n) {
    const auto angles = angles_between(1e-3, 8000.0, n);
    std::vector<float> cosine(n);
    std::vector<float> sine(n);
    scaled_sincos(angles, 0.9F, 0.1F, cosine, sine);
    for (std::size_t k = 0; k < n; ++k) {
      float lone_cosine = 0.0F;
      float lone_sine = 0.0F;
      scaled_sincos({&angles[k], 1}, 0.9F, 0.1F, {&lone_cosine, 1}, {&lone_sine, 1});
      ASSERT_EQ(cosine[k], lone_cosine) << n << " " << k;
      ASSERT_EQ(sine[k], lone_sine) << n << " " << k;
    }
  }
}

}  // namespace
}  // namespace caucus
