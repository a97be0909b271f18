// Spaces and outputs of models that the tests of the adaptive schedule share.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "caucus/algorithms/statistics/statistics_oms.hpp"
#include "caucus/algorithms/test_play.hpp"

namespace caucus::conformance {

inline constexpr double kFree = std::numeric_limits<double>::infinity();

inline const Space kAffine{.radius = kFree, .intercept = true};
inline const Space kWithLinear{
    .kind = SpaceKind::gaussian, .radius = 3.0, .intercept = true, .width = 2.0, .features = 8};

/// All kinds of spaces, with a linear one that the others are compared with.
inline Problem reference_problem() {
  Problem problem;
  problem.spaces = {
      kWithLinear,
      Space{.radius = 0.1, .intercept = true},
      Space{.kind = SpaceKind::cauchy, .radius = 2.0, .features = 5},
      kAffine,
      Space{.kind = SpaceKind::expert, .function = [](std::span<const float> x) { return x[0]; }},
      Space{.radius = 1.0}};
  return problem;
}

/// phi_i(x) of a space; for an expert its prediction, whose weight is 1.
inline std::vector<double> features_at(const Plan& plan, std::size_t space,
                                       const TestExample& example) {
  FeatureMaps::Workspace workspace(plan.maps);
  workspace.begin(example.x);
  if (plan.maps.dimension(space) == 0) return {plan.expert_output(space, example.x)};
  const auto features = plan.maps.features(space, workspace);
  return {features.begin(), features.end()};
}

inline double output_of(const StatisticsOms& server, std::size_t space,
                        const TestExample& example) {
  const auto phi = features_at(server.plan(), space, example);
  if (server.plan().maps.dimension(space) == 0) return phi[0];
  double sum = 0.0;
  for (std::size_t k = 0; k < phi.size(); ++k) {
    sum += phi[k] * static_cast<double>(server.weights(space)[k]);
  }
  return sum;
}

}  // namespace caucus::conformance
