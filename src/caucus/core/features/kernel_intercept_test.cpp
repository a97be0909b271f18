// Kernels whose random features follow the coordinates of a linear space.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "caucus/core/base/test_numbers.hpp"
#include "caucus/core/features/feature_maps.hpp"

namespace caucus {
namespace {

const Floats kPoint = {0.5F, -1.25F, 2.0F};

Space kernel_of(SpaceKind kind, double width, std::uint32_t frequencies) {
  return {.kind = kind, .width = width, .features = frequencies};
}

Space intercepted(Space space) {
  space.intercept = true;
  return space;
}

Floats phi_of(const FeatureMaps& maps, std::size_t i, const Floats& x) {
  FeatureMaps::Workspace workspace(maps);
  workspace.begin(x);
  const auto features = maps.features(i, workspace);
  return {features.begin(), features.end()};
}

TEST(KernelIntercept, PutsTheScaledExampleAndOneBeforeRandomFeatures) {
  for (const SpaceKind kind : {SpaceKind::gaussian, SpaceKind::laplacian, SpaceKind::cauchy}) {
    const Space plain = kernel_of(kind, 1.5, 21);
    const auto maps =
        FeatureMaps::make({plain, intercepted(plain)}, {.features = 3}, 42, 0).value();
    EXPECT_EQ(maps.dimension(0), 42U);
    EXPECT_EQ(maps.dimension(1), 3U + 1U + 42U);
    EXPECT_EQ(maps.map_count(), 2U);
    const Floats phi = phi_of(maps, 1, kPoint);
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_NEAR(phi[k], kPoint[k] / std::sqrt(3.0F), 1e-6F);
    }
    EXPECT_EQ(phi[3], 1.0F);
    EXPECT_EQ(Floats(phi.begin() + 4, phi.end()), phi_of(maps, 0, kPoint));
  }
}

TEST(KernelIntercept, LetsKernelsShareTheirAngles) {
  std::vector<Space> spaces;
  for (const double width : {1.0, 0.5, 4.0, 2.0}) {
    spaces.push_back(intercepted(kernel_of(SpaceKind::gaussian, width, 19)));
    spaces.push_back(kernel_of(SpaceKind::gaussian, width, 19));
  }
  spaces.push_back(spaces.front());
  spaces.back().radius = 7.0;  // another radius, the same map
  const InputShape shape{.features = 3};
  const auto apart = FeatureMaps::make(spaces, shape, 42, 0, 1).value();
  const auto shared = FeatureMaps::make(spaces, shape, 42, 0, 5).value();
  EXPECT_EQ(shared.map_of(0), shared.map_of(8));
  EXPECT_FALSE(apart.same_features(shared));
  for (std::size_t first = 0; first < spaces.size(); ++first) {
    FeatureMaps::Workspace workspace(shared);
    workspace.begin(kPoint);
    for (std::size_t n = 0; n < spaces.size(); ++n) {
      const std::size_t i = (first + n) % spaces.size();
      const Floats one = phi_of(apart, i, kPoint);
      const auto other = shared.features(i, workspace);
      ASSERT_EQ(one.size(), other.size());
      for (std::size_t k = 0; k < one.size(); ++k) ASSERT_NEAR(one[k], other[k], 2e-6F) << i;
    }
  }
}

}  // namespace
}  // namespace caucus
