#include "caucus/core/features/feature_maps.hpp"
#include "caucus/core/base/test_numbers.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "caucus/core/base/random.hpp"
#include "caucus/core/base/vector.hpp"
#include "caucus/core/features/test_kernel.hpp"

namespace caucus {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Truly;

constexpr SpaceKind kKernels[] = {SpaceKind::gaussian, SpaceKind::laplacian, SpaceKind::cauchy};
constexpr std::uint64_t kSeed = 42;

Space kernel(SpaceKind kind, double width, std::uint32_t frequencies = 20) {
  return {.kind = kind, .width = width, .features = frequencies};
}

Space own_base(Space space) {
  space.independent_base = true;
  return space;
}

Space with_intercept(Space space) {
  space.intercept = true;
  return space;
}

FeatureMaps maps_of(std::vector<Space> spaces, InputShape shape, std::uint32_t repetition = 0) {
  return FeatureMaps::make(std::move(spaces), shape, kSeed, repetition).value();
}

/// Computes phi_i(x) in a new workspace.
Floats features_of(const FeatureMaps& maps, std::size_t i, const Floats& x) {
  FeatureMaps::Workspace workspace(maps);
  workspace.begin(x);
  const auto features = maps.features(i, workspace);
  return {features.begin(), features.end()};
}

Floats features_of(const Space& space, const Floats& x, std::uint32_t repetition = 0) {
  return features_of(maps_of({space}, {.features = x.size()}, repetition), 0, x);
}

const Floats kExample = {0.5F, -1.25F, 2.0F};

TEST(FeatureMaps, RandomFeaturesApproachTheKernelLikeOneOverRootD) {
  // <phi(x), phi(v)> is the mean of D cosines, each with variance (1 + k(2(x - v))) / 2 - k(x -
  // v)^2.
  constexpr std::uint32_t kRepetitions = 400;
  const Floats x = {0.3F, 0.8F, -0.2F};
  const Floats v = {-0.1F, 0.4F, 0.1F};
  const Floats twice = {0.8F, 0.8F, -0.6F};  // 2 (x - v), from 0
  for (const SpaceKind kind : kKernels) {
    const double exact = kernel_value(kind, 1.5, x, v);
    const double variance =
        (1.0 + kernel_value(kind, 1.5, twice, {std::vector<float>(3)})) / 2.0 - exact * exact;
    for (const std::uint32_t D : {8u, 64u, 512u}) {
      double squares = 0.0;
      for (std::uint32_t repetition = 0; repetition < kRepetitions; ++repetition) {
        const Space space = kernel(kind, 1.5, D);
        const double estimate =
            dot(features_of(space, x, repetition), features_of(space, v, repetition));
        squares += (estimate - exact) * (estimate - exact) / kRepetitions;
      }
      EXPECT_NEAR(std::sqrt(squares * D / variance), 1.0, 0.15) << name_of(kind) << " D=" << D;
    }
  }
}

TEST(FeatureMaps, FeaturesAreCosinesAndSinesOfTheBaseDividedByTheWidth) {
  constexpr std::uint32_t D = 20;
  for (const SpaceKind kind : kKernels) {
    const auto maps = maps_of({kernel(kind, 0.5), kernel(kind, 1.0), kernel(kind, 3.7)}, {3, 0}, 6);
    for (std::size_t i = 0; i < maps.size(); ++i) {
      const Floats phi = features_of(maps, i, kExample);
      ASSERT_EQ(phi.size(), 2 * D);
      ASSERT_EQ(maps.dimension(i), 2 * D);
      for (std::uint32_t k = 0; k < D; ++k) {
        Stream stream({kSeed, Purpose::features, 6, static_cast<std::uint32_t>(kind), k});
        double angle = 0.0;
        double size = 1.0;
        for (const float value : kExample) {
          const double term = draw_frequency(kind, stream) * static_cast<double>(value);
          angle += term / maps.space(i).width;
          size += std::abs(term) / maps.space(i).width;
        }
        const double tolerance = 4e-7 * size;
        // Sixteen cosines, their sines, and so on.
        const std::uint32_t block = k / 16 * 16;
        const std::uint32_t place = block + k;
        const std::uint32_t sine = place + std::min(16U, D - block);
        EXPECT_NEAR(static_cast<double>(phi[place]), std::cos(angle) / std::sqrt(D), tolerance);
        EXPECT_NEAR(static_cast<double>(phi[sine]), std::sin(angle) / std::sqrt(D), tolerance);
      }
    }
  }
}

TEST(FeatureMaps, WidthsInRatioTwoShareTheirAnglesIfHalfOfTheSpacesAreHeld) {
  std::vector<Space> spaces;
  for (const double width : {1.0, 0.25, 8.0, 3.0, 16.0, 0.5, 32.0, 64.0, 128.0, 1.0}) {
    spaces.push_back(kernel(SpaceKind::gaussian, width, 37));
  }
  spaces[3].features = 5;
  spaces.push_back(Space{});
  const InputShape shape{.features = 3};
  const auto apart = FeatureMaps::make(spaces, shape, kSeed, 0, 5).value();
  const auto shared = FeatureMaps::make(spaces, shape, kSeed, 0, 6).value();
  EXPECT_TRUE(apart.same_features(FeatureMaps::make(spaces, shape, kSeed, 0).value()));
  EXPECT_FALSE(apart.same_features(shared));
  FeatureMaps::Workspace workspace(shared);
  workspace.begin(kExample);
  std::size_t different = 0;
  for (std::size_t i = 0; i < spaces.size(); ++i) {
    const Floats one = features_of(apart, i, kExample);
    const auto features = shared.features(i, workspace);
    const Floats other(features.begin(), features.end());
    EXPECT_EQ(other, features_of(shared, i, kExample))
        << i;  // the order of requests does not matter
    ASSERT_EQ(one.size(), other.size());
    for (std::size_t k = 0; k < one.size(); ++k) EXPECT_NEAR(one[k], other[k], 2e-6F) << i;
    different += one != other ? 1U : 0U;
  }
  // 0.5 and 0.25 come from 1; 64, 32 and 16 from 128, and 8 would be a fifth.
  EXPECT_EQ(different, 2U + 3U);
}

RC_GTEST_PROP(FeatureMaps, RandomFeaturesHaveNormOne, ()) {
  Stream stream({.seed = *rc::gen::arbitrary<std::uint64_t>()});
  const Floats x = normals(*rc::gen::inRange<std::size_t>(1, 10), stream);
  const auto D = *rc::gen::inRange<std::uint32_t>(1, 200);
  for (const SpaceKind kind : kKernels) {
    const double norm = squared_norm(features_of(kernel(kind, 0.7, D), x));
    RC_ASSERT(std::abs(norm - 1.0) < 2e-6);
  }
}

TEST(FeatureMaps, FeaturesOfAbsurdExamplesAreFinite) {
  const auto is_finite = Truly([](float value) { return std::isfinite(value); });
  for (const SpaceKind kind : kKernels) {
    for (const double width : {1e-30, 1.0, 1e30}) {
      const Space plain = kernel(kind, width);
      EXPECT_THAT(features_of(plain, {3e38F, -3e38F, 1e30F}), Each(is_finite));
      EXPECT_THAT(features_of(with_intercept(plain), {3e38F, -3e38F, 1e30F}), Each(is_finite));
    }
  }
}

TEST(FeatureMaps, KernelsShareABaseUnlessToldOtherwise) {
  const Space gaussian = kernel(SpaceKind::gaussian, 2.0);
  const auto maps =
      maps_of({gaussian, gaussian, own_base(gaussian), own_base(gaussian)}, {.features = 3});
  EXPECT_EQ(maps.map_of(0), maps.map_of(1));
  EXPECT_EQ(maps.map_count(), 3u);
  const Floats shared = features_of(maps, 0, kExample);
  EXPECT_EQ(shared, features_of(maps, 1, kExample));
  EXPECT_NE(shared, features_of(maps, 2, kExample));
  EXPECT_NE(shared, features_of(maps, 3, kExample));
  EXPECT_NE(features_of(maps, 2, kExample), features_of(maps, 3, kExample));
}

TEST(FeatureMaps, FewerFrequenciesAreTheFirstOfMore) {
  const Floats few = features_of(kernel(SpaceKind::cauchy, 1.0, 25), kExample);
  const Floats many = features_of(kernel(SpaceKind::cauchy, 1.0, 100), kExample);
  // The first sixteen cosines and their sines; then nine of each, where the other has sixteen.
  for (std::size_t k = 0; k < 50; ++k) {
    const std::size_t place = k < 41 ? k : 48 + (k - 41);
    EXPECT_NEAR(static_cast<double>(few[k]), 2.0 * static_cast<double>(many[place]), 2e-6);
  }
}

TEST(FeatureMaps, SeedAndRepetitionRedrawTheFrequencies) {
  const Space space = kernel(SpaceKind::gaussian, 1.0);
  const Floats phi = features_of(space, kExample, 0);
  EXPECT_EQ(phi, features_of(space, kExample, 0));
  EXPECT_NE(phi, features_of(space, kExample, 1));
  const auto other = FeatureMaps::make({space}, {.features = 3}, kSeed + 1, 0).value();
  EXPECT_NE(phi, features_of(other, 0, kExample));
}

TEST(FeatureMaps, LinearSpacesOfAllRadiiShareTheExampleItself) {
  const auto maps = maps_of({Space{.radius = 0.1}, Space{.radius = 2.0}, Space{.intercept = true}},
                            {.features = 3, .experts = 1});
  const Floats x = {0.5F, -1.25F, 2.0F, 9.0F};  // the last is an expert's prediction
  FeatureMaps::Workspace workspace(maps);
  workspace.begin(x);
  EXPECT_EQ(maps.features(0, workspace).data(), x.data());
  EXPECT_THAT(maps.features(1, workspace), ElementsAre(0.5F, -1.25F, 2.0F));
  EXPECT_THAT(maps.features(2, workspace), ElementsAre(0.5F, -1.25F, 2.0F, 1.0F));
  EXPECT_EQ(maps.dimension(0), 3u);
  EXPECT_EQ(maps.dimension(2), 4u);
  EXPECT_EQ(maps.map_of(0), maps.map_of(1));
  EXPECT_NE(maps.map_of(0), maps.map_of(2));
}

TEST(FeatureMaps, ExpertsReadTheirColumnOrCallTheirFunctionOnTheFeaturesAlone) {
  Space function{.kind = SpaceKind::expert};
  function.function = [](std::span<const float> x) {
    return x[0] + 100.0F * static_cast<float>(x.size());
  };
  const auto maps = maps_of({Space{.kind = SpaceKind::expert, .expert = 1},
                             Space{.kind = SpaceKind::expert, .expert = 0}, function},
                            {.features = 2, .experts = 2});
  const Floats x = {0.5F, 1.0F, 7.0F, -8.0F};
  FeatureMaps::Workspace workspace(maps);
  workspace.begin(x);
  EXPECT_EQ(maps.expert_forecast(0, workspace), -8.0);
  EXPECT_EQ(maps.expert_forecast(1, workspace), 7.0);
  EXPECT_EQ(maps.expert_forecast(2, workspace), 200.5);
  for (std::size_t i = 0; i < maps.size(); ++i) {
    EXPECT_EQ(maps.dimension(i), 0u);
    EXPECT_TRUE(maps.features(i, workspace).empty());
  }
}

TEST(FeatureMaps, AFunctionNeedsNoColumnsAndNoFeatures) {
  Space space{.kind = SpaceKind::expert, .expert = 5};
  space.function = [](std::span<const float>) { return 1.0F; };
  EXPECT_TRUE(FeatureMaps::make({space}, {}, kSeed, 0).ok());
}

/// A space of any learnable kind.
Space any_space() {
  const auto kind = *rc::gen::element(SpaceKind::linear, SpaceKind::gaussian, SpaceKind::laplacian,
                                      SpaceKind::cauchy);
  Space space = kernel(kind, *rc::gen::element(0.25, 0.5, 1.0, 3.0),
                       *rc::gen::element<std::uint32_t>(1, 16, 33));
  space.intercept = *rc::gen::arbitrary<bool>();
  return space;
}

std::vector<Space> any_spaces() {
  std::vector<Space> spaces(*rc::gen::inRange<std::size_t>(1, 30));
  for (Space& space : spaces) space = any_space();
  return spaces;
}

RC_GTEST_PROP(FeatureMaps, ASpaceKeepsItsFeaturesWhateverSpacesStandBesideIt, ()) {
  const auto spaces = any_spaces();
  const auto maps = maps_of(spaces, {.features = 3});
  for (std::size_t i = 0; i < spaces.size(); ++i) {
    RC_ASSERT(features_of(maps, i, kExample) == features_of(spaces[i], kExample));
  }
}

RC_GTEST_PROP(FeatureMaps, AppendingASpaceKeepsTheFeaturesOfIndependentBases, ()) {
  auto spaces = any_spaces();
  for (Space& space : spaces) space.independent_base = *rc::gen::arbitrary<bool>();
  const auto before = maps_of(spaces, {.features = 3});
  spaces.push_back(own_base(any_space()));
  const auto after = maps_of(spaces, {.features = 3});
  for (std::size_t i = 0; i < before.size(); ++i) {
    RC_ASSERT(features_of(before, i, kExample) == features_of(after, i, kExample));
  }
}

RC_GTEST_PROP(FeatureMaps, AUsedWorkspaceGivesTheSameAsAFreshOne, ()) {
  const auto maps = maps_of(any_spaces(), {.features = 3});
  Stream stream({.seed = *rc::gen::arbitrary<std::uint64_t>()});
  FeatureMaps::Workspace workspace(maps);
  for (int example = 0; example < 3; ++example) {
    const Floats x = normals(3, stream);
    workspace.begin(x);
    for (int access = 0; access < 20; ++access) {
      const std::size_t i = stream.below(static_cast<std::uint32_t>(maps.size()));
      const auto features = maps.features(i, workspace);
      RC_ASSERT(Floats(features.begin(), features.end()) == features_of(maps, i, x));
    }
  }
}

TEST(FeatureMaps, ReadyFeaturesAreThoseThatWouldBeComputedBitForBit) {
  const auto maps =
      maps_of({Space{.radius = 0.5}, Space{.intercept = true}, kernel(SpaceKind::gaussian, 2.0),
               Space{.kind = SpaceKind::expert, .expert = 1}, Space{.radius = 2.0},
               own_base(kernel(SpaceKind::cauchy, 3.0, 5)), kernel(SpaceKind::gaussian, 0.5),
               with_intercept(kernel(SpaceKind::gaussian, 0.5))},
              {3, 2});
  const FeatureMaps ready = maps.ready();
  const Floats x = {0.3F, -1.7F, 2.2F, 10.0F, 20.0F};
  FeatureMaps::Workspace workspace(maps);
  workspace.begin(x);
  Floats expanded(maps.expanded_size());
  maps.expand(workspace, expanded);
  FeatureMaps::Workspace reader(ready);
  reader.begin(expanded);
  for (std::size_t i = 0; i < maps.size(); ++i) {
    const auto computed = maps.features(i, workspace);
    const auto read = ready.features(i, reader);
    EXPECT_EQ(Floats(read.begin(), read.end()), Floats(computed.begin(), computed.end())) << i;
  }
  EXPECT_EQ(ready.expert_forecast(3, reader), 20.0);
  EXPECT_EQ(expanded.size(), 5U + 4U + 40U + 10U + 40U + 44U);
}

TEST(FeatureMaps, SpacesOfOtherRadiiHaveTheSameFeaturesThoseOfOtherWidthsDoNot) {
  Space narrow = kernel(SpaceKind::gaussian, 2.0);
  narrow.radius = 7.0;
  const auto maps = maps_of({kernel(SpaceKind::gaussian, 2.0)}, {3, 0});
  EXPECT_TRUE(maps.same_features(maps_of({narrow}, {3, 0})));
  EXPECT_FALSE(maps.same_features(maps_of({kernel(SpaceKind::gaussian, 3.0)}, {3, 0})));
  EXPECT_FALSE(maps.same_features(maps_of({narrow}, {3, 0}, 1)));
}

TEST(FeatureMaps, InvalidSpacesAreRefusedWithTheirName) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const auto gaussian = [](double width) { return kernel(SpaceKind::gaussian, width); };
  const std::vector<std::pair<Space, std::string>> cases = {
      {Space{.radius = 0.0}, "radius is 0"},
      {Space{.radius = -1.0}, "radius is -1"},
      {Space{.radius = nan}, "radius is nan"},
      {gaussian(0.0), "width is 0"},
      {gaussian(-2.0), "width is -2"},
      {gaussian(nan), "width is nan"},
      {gaussian(infinity), "width is inf"},
      {kernel(SpaceKind::cauchy, 1.0, 0), "no random"},
      {Space{.kind = SpaceKind::expert, .expert = 2}, "there are 2 expert columns"},
  };
  for (const auto& [space, what] : cases) {
    const auto maps = FeatureMaps::make({Space{}, space}, {.features = 3, .experts = 2}, 1, 0);
    ASSERT_FALSE(maps.ok()) << what;
    EXPECT_EQ(maps.error().kind, ErrorKind::usage);
    EXPECT_THAT(maps.error().what, HasSubstr(what));
    EXPECT_THAT(maps.error().where, HasSubstr(space.name()));
  }
  EXPECT_FALSE(FeatureMaps::make({}, {.features = 3}, 1, 0).ok());
  EXPECT_FALSE(FeatureMaps::make({Space{}}, {.features = 0, .experts = 1}, 1, 0).ok());
  EXPECT_TRUE(FeatureMaps::make({Space{.radius = infinity}}, {.features = 1}, 1, 0).ok());
}

}  // namespace
}  // namespace caucus
