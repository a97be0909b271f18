// What the plain re-implementations of the baselines share: doubles, vectors, loops. Only features
// and draws are taken from the library.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "caucus/algorithms/test_play.hpp"

namespace caucus::conformance {

using Vector = std::vector<double>;
using Matrix = std::vector<Vector>;

inline double product(const Vector& a, const Vector& b) {
  double sum = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

/// exp(x_i) / sum exp(x), as it is written; fine for the small numbers of a test.
inline Vector softmax(const Vector& x) {
  Vector p;
  double sum = 0.0;
  for (const double value : x) sum += std::exp(value);
  for (const double value : x) p.push_back(std::exp(value) / sum);
  return p;
}

/// The first i with u < p_0 + .. + p_i.
inline std::size_t quantile(const Vector& p, double u) {
  double sum = 0.0;
  for (std::size_t i = 0; i + 1 < p.size(); ++i) {
    sum += p[i];
    if (u < sum) return i;
  }
  return p.size() - 1;
}

/// z_1 .. z_K of one example, and its target.
struct PlainExample {
  Matrix z;
  double y = 0.0;
};

inline PlainExample plain_example(const Problem& problem, const FeatureMaps& maps,
                                  std::uint32_t client, std::size_t round) {
  const TestExample example = problem.example(client, static_cast<std::uint32_t>(round));
  FeatureMaps::Workspace workspace(maps);
  workspace.begin(example.x);
  PlainExample plain{{}, example.y};
  for (std::size_t i = 0; i < maps.size(); ++i) {
    const auto z = maps.features(i, workspace);
    plain.z.emplace_back(z.begin(), z.end());
  }
  return plain;
}

inline Matrix zero_models(const FeatureMaps& maps) {
  Matrix models;
  for (std::size_t i = 0; i < maps.size(); ++i) models.emplace_back(maps.dimension(i), 0.0);
  return models;
}

/// To see that models have moved at all: 0 is like 0.
inline double largest_weight(const LearnedModel& model) {
  double largest = 0.0;
  for (const auto& weights : model.weights) {
    for (const float w : weights) largest = std::max(largest, std::abs(static_cast<double>(w)));
  }
  return largest;
}

/// The largest difference between any two numbers.
inline double distance(const LearnedModel& learned, const Vector& p, const Matrix& models) {
  double largest = 0.0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    largest = std::max(largest, std::abs(learned.probabilities[i] - p[i]));
    for (std::size_t k = 0; k < models[i].size(); ++k) {
      largest =
          std::max(largest, std::abs(static_cast<double>(learned.weights[i][k]) - models[i][k]));
    }
  }
  return largest;
}

/// Rates from .01 to 100 on sane and on absurd input, many of them diverging.
template <class A>
void expect_no_nan_in_any_grid(Problem problem = {}) {
  for (const float scale : {1.0F, 1e30F}) {
    for (const double eta : {0.01, 1.0, 100.0}) {
      for (const double rate : {0.01, 0.1, 1.0, 10.0, 100.0}) {
        problem.scale = scale;
        problem.eta = eta;
        problem.lambda = rate;
        problem.regularization = eta;
        problem.exploration = eta > 1.0 ? 1e-9 : 1.0;
        problem.rounds = 60;
        A server(problem.baseline_settings());
        for (const double f : play_all(server, problem)) ASSERT_LE(std::abs(f), 1e18);
        ASSERT_LE(largest_weight(server.learned()), 1.0001e30);
        double sum = 0.0;
        for (const double p : server.selection()) sum += p;
        ASSERT_NEAR(sum, 1.0, 1e-9);
      }
    }
  }
}

/// A rate far too large for one linear space: the forecasts reach the clamp and stay there.
template <class A>
void expect_divergence_is_seen() {
  Problem problem;
  problem.spaces.resize(1);
  problem.spaces.front().radius = std::numeric_limits<double>::infinity();
  problem.sample_size = 1;
  problem.lambda = 100.0;
  problem.rounds = 100;
  A server(problem.baseline_settings());
  const Vector forecasts = play_all(server, problem);
  EXPECT_EQ(std::abs(forecasts.back()), 1e18);
  EXPECT_GT(largest_weight(server.learned()), 1e18);
}

/// A problem with one space.
inline Problem one_space(const Space& space) {
  Problem problem;
  problem.spaces = {space};
  problem.sample_size = 1;
  problem.rounds = 40;
  return problem;
}

}  // namespace caucus::conformance
