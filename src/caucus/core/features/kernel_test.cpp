#include "caucus/core/features/test_kernel.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <vector>

namespace caucus {
namespace {

constexpr SpaceKind kAllKernels[] = {SpaceKind::gaussian, SpaceKind::laplacian, SpaceKind::cauchy};

/// The kernels from the norms of x - v in their definitions, not coordinate by coordinate.
double definition(SpaceKind kernel, double width, const std::vector<float>& x,
                  const std::vector<float>& v) {
  const auto w = static_cast<long double>(width);
  long double squares = 0;
  long double sum = 0;
  long double product = 1;
  for (std::size_t l = 0; l < x.size(); ++l) {
    const auto delta = static_cast<long double>(x[l]) - static_cast<long double>(v[l]);
    squares += delta * delta;
    sum += std::abs(delta);
    product *= 1 + delta * delta / (w * w);
  }
  if (kernel == SpaceKind::gaussian) return static_cast<double>(std::exp(-squares / (2 * w * w)));
  if (kernel == SpaceKind::laplacian) return static_cast<double>(std::exp(-sum / w));
  return static_cast<double>(1 / product);
}

RC_GTEST_PROP(Kernel, ValuesFollowTheDefinitions, ()) {
  Stream stream({.seed = *rc::gen::arbitrary<std::uint64_t>()});
  const auto d = *rc::gen::inRange<std::size_t>(1, 20);
  std::vector<float> x(d);
  std::vector<float> v(d);
  for (float& value : x) value = static_cast<float>(stream.normal());
  for (float& value : v) value = static_cast<float>(stream.normal());
  const double width = 0.5 + 3.0 * stream.uniform();
  for (const SpaceKind kernel : kAllKernels) {
    const double expected = definition(kernel, width, x, v);
    RC_ASSERT(std::abs(kernel_value(kernel, width, x, v) - expected) <= 1e-13);
    RC_ASSERT(kernel_value(kernel, width, x, x) == 1.0);
  }
}

TEST(Kernel, TheMeanCosineOfTheFrequenciesIsTheKernel) {
  constexpr int kDraws = 100000;
  for (const SpaceKind kernel : kAllKernels) {
    for (const double delta : {0.1, 0.7, 2.0}) {
      Stream stream({.seed = 1});
      double mean = 0.0;
      for (int i = 0; i < kDraws; ++i) {
        mean += std::cos(draw_frequency(kernel, stream) * delta) / kDraws;
      }
      const double exact = definition(kernel, 1.0, {static_cast<float>(delta)}, {0.0F});
      EXPECT_NEAR(mean, exact, 4.0 / std::sqrt(2.0 * kDraws)) << name_of(kernel) << " " << delta;
    }
  }
}

TEST(Kernel, EachHasItsOwnFrequencies) {
  Stream a({.seed = 3});
  Stream b({.seed = 3});
  EXPECT_EQ(draw_frequency(SpaceKind::gaussian, a), GaussianKernel::frequency(b));
  EXPECT_EQ(draw_frequency(SpaceKind::laplacian, a), LaplacianKernel::frequency(b));
  EXPECT_EQ(draw_frequency(SpaceKind::cauchy, a), CauchyKernel::frequency(b));
}

}  // namespace
}  // namespace caucus
