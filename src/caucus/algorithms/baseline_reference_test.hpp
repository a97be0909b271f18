// What the plain re-implementations of the baselines share: doubles, vectors, loops. Only features
// and draws are taken from the library.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "caucus/algorithms/conformance_play.hpp"

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

/// What an empty batch number, or nothing played, would hide: that the models have moved.
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

}  // namespace caucus::conformance
