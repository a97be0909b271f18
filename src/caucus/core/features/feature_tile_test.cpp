#include "caucus/core/features/feature_tile.hpp"
#include "caucus/core/base/test_numbers.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "caucus/core/base/vector.hpp"

namespace caucus {
namespace {

/// Linear spaces, experts, and kernels with and without an intercept, some of them with one map.
std::vector<Space> spaces_of_a_tile() {
  std::vector<Space> spaces(*rc::gen::inRange<std::size_t>(2, 20));
  for (Space& space : spaces) {
    space.kind = *rc::gen::element(SpaceKind::linear, SpaceKind::gaussian, SpaceKind::gaussian,
                                   SpaceKind::gaussian, SpaceKind::cauchy, SpaceKind::expert);
    space.width = *rc::gen::element(0.25, 0.5, 1.0, 2.0, 3.0);
    space.features = *rc::gen::element<std::uint32_t>(3, 16, 33);
    space.intercept = *rc::gen::arbitrary<bool>();
    space.radius = *rc::gen::element(1.0, 2.0);
  }
  return spaces;
}

RC_GTEST_PROP(FeatureTile, HasTheFeaturesOfSingleExamplesBitForBit, ()) {
  const auto spaces = spaces_of_a_tile();
  const auto K = static_cast<std::uint32_t>(spaces.size());
  const std::size_t J = *rc::gen::inRange<std::size_t>(1, K + 1);
  const std::size_t count = *rc::gen::inRange<std::size_t>(1, FeatureTile::kExamples + 1);
  const std::size_t inputs = *rc::gen::inRange<std::size_t>(1, 9);
  Stream stream({.seed = *rc::gen::arbitrary<std::uint64_t>()});
  // With J >= K / 2 kernels share their angles.
  const auto maps = FeatureMaps::make(spaces, {inputs, 1}, 5, 0, J).value();
  FeatureTile tile(maps);
  FeatureMaps::Workspace workspace(maps);
  for (int again = 0; again < 2; ++again) {  // a used tile is as good as a new one
    std::vector<Floats> examples;
    std::vector<const float*> starts;
    std::vector<std::uint32_t> held;
    std::vector<Floats> models;
    std::vector<const float*> model_starts;
    for (std::size_t e = 0; e < count; ++e) {
      examples.push_back(normals(inputs + 1, stream));
      for (std::size_t a = 0; a < J; ++a) {
        held.push_back(stream.below(K));
        models.push_back(normals(maps.dimension(held.back()), stream));
      }
    }
    for (const Floats& example : examples) starts.push_back(example.data());
    for (const Floats& model : models) model_starts.push_back(model.data());
    std::vector<const float*> features(count * J);
    std::vector<double> products(count * J);
    FloatArena memory;
    tile.compute_pairs({count, J, starts.data(), held.data(), model_starts.data(), features.data(),
                        products.data()},
                       memory);
    for (std::size_t e = 0; e < count; ++e) {
      workspace.begin(examples[e]);
      for (std::size_t n = e * J; n < (e + 1) * J; ++n) {
        const auto single = maps.features(held[n], workspace);
        RC_ASSERT(Floats(single.begin(), single.end()) ==
                  Floats(features[n], features[n] + single.size()));
        if (!single.empty()) RC_ASSERT(products[n] == dot(models[n], single));
      }
    }
  }
}

}  // namespace
}  // namespace caucus
