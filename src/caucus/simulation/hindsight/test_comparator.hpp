// Examples and slow, plain solvers for the tests of the comparator.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "caucus/core/base/random.hpp"
#include "caucus/simulation/hindsight/comparator.hpp"

namespace caucus::testing {

struct Examples {
  std::size_t dimension;
  std::vector<float> z, y;

  [[nodiscard]] FeatureRows rows() const { return {z, dimension, y}; }
  [[nodiscard]] std::span<const float> row(std::size_t i) const {
    return {z.data() + i * dimension, dimension};
  }
};

/// y = <w, z> plus noise with heavy tails; for classes the sign of that.
inline Examples random_examples(std::uint64_t seed, std::size_t n, std::size_t d, bool classes,
                                double noise = 0.5) {
  Stream stream({.seed = seed, .purpose = Purpose::test, .round = 7});
  std::vector<double> truth(d);
  for (double& w : truth) w = stream.normal();
  Examples examples{d, {}, {}};
  for (std::size_t i = 0; i < n; ++i) {
    double y = noise * stream.laplace();
    for (std::size_t k = 0; k < d; ++k) {
      const auto z = static_cast<float>(stream.normal());
      examples.z.push_back(z);
      y += truth[k] * static_cast<double>(z);
    }
    examples.y.push_back(static_cast<float>(classes ? (y > 0.0 ? 1.0 : -1.0) : y));
  }
  return examples;
}

inline double total_loss(const Loss& loss, const Examples& examples, std::span<const double> w) {
  double sum = 0.0;
  for (std::size_t i = 0; i < examples.y.size(); ++i) {
    double v = 0.0;
    const auto z = examples.row(i);
    for (std::size_t k = 0; k < w.size(); ++k) v += w[k] * static_cast<double>(z[k]);
    sum += loss.value(v, static_cast<double>(examples.y[i]));
  }
  return sum;
}

/// The minimum value of a convex function on an interval.
inline double golden_section(const std::function<double(double)>& f, double low, double high,
                             int steps) {
  constexpr double kRatio = 0.6180339887498949;
  double a = high - kRatio * (high - low);
  double b = low + kRatio * (high - low);
  double at_a = f(a);
  double at_b = f(b);
  for (int step = 0; step < steps; ++step) {
    if (at_a <= at_b) {
      high = b;
      b = a;
      at_b = at_a;
      a = high - kRatio * (high - low);
      at_a = f(a);
    } else {
      low = a;
      a = b;
      at_a = at_b;
      b = low + kRatio * (high - low);
      at_b = f(b);
    }
  }
  return std::min({at_a, at_b, f(low), f(high)});
}

/// For two features: the minimum over one weight of the minimum over the other.
inline double nested_sections(const Loss& loss, const Examples& examples, const Region& region) {
  const bool box = region.constraint == Constraint::box;
  const double reach = box ? region.radius / std::sqrt(2.0) : region.radius;
  const auto best_given = [&](double first) {
    const double rest = box ? reach : std::sqrt(std::max(0.0, reach * reach - first * first));
    const auto along = [&](double second) {
      return total_loss(loss, examples, std::vector<double>{first, second});
    };
    return golden_section(along, -rest, rest, 45);
  };
  return golden_section(best_given, -reach, reach, 45);
}

}  // namespace caucus::testing
