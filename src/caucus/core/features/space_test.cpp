#include "caucus/space.hpp"

#include <gtest/gtest.h>

namespace caucus {
namespace {

TEST(Space, NamesSayWhatTellsSpacesApart) {
  EXPECT_EQ((Space{.radius = 0.1}.name()), "linear U=0.1");
  EXPECT_EQ((Space{.kind = SpaceKind::gaussian, .width = 2.0}.name()), "gaussian width=2");
  EXPECT_EQ((Space{.kind = SpaceKind::laplacian, .width = 0.5}.name()), "laplacian width=0.5");
  EXPECT_EQ((Space{.kind = SpaceKind::cauchy}.name()), "cauchy width=1");
  EXPECT_EQ((Space{.kind = SpaceKind::expert, .expert = 2}.name()), "expert 3");
  EXPECT_EQ((Space{.kind = SpaceKind::expert, .title = "forest"}.name()), "forest");
}

TEST(Space, KernelsAreTheThreeWithRandomFeatures) {
  EXPECT_FALSE(Space{.kind = SpaceKind::linear}.is_kernel());
  EXPECT_TRUE(Space{.kind = SpaceKind::gaussian}.is_kernel());
  EXPECT_TRUE(Space{.kind = SpaceKind::laplacian}.is_kernel());
  EXPECT_TRUE(Space{.kind = SpaceKind::cauchy}.is_kernel());
  EXPECT_FALSE(Space{.kind = SpaceKind::expert}.is_kernel());
}

}  // namespace
}  // namespace caucus
