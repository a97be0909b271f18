// FOMD-OMS once more, as plainly as can be, to test against.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "caucus/algorithms/test_conformance.hpp"

namespace caucus::conformance {

/// FOMD-OMS straight from the paper in doubles, vectors of vectors, features by std::cos and
/// std::sin; only the sampled sets are taken from the implementation under test.
class PaperReference {
 public:
  explicit PaperReference(const Problem& problem)
      : problem_(problem), settings_(problem.settings()), p(problem.spaces.size()) {
    for (std::size_t i = 0; i < p.size(); ++i) {
      p[i] = 1.0 / static_cast<double>(p.size());
      w.emplace_back(settings_->plan->maps.dimension(i), 0.0);
    }
  }

  void round(const std::vector<std::vector<std::uint32_t>>& held, std::uint32_t first,
             std::uint32_t last) {
    const std::size_t K = p.size();
    std::vector<double> c(K, 0.0);
    std::vector<std::vector<double>> g;
    for (const auto& model : w) g.emplace_back(model.size(), 0.0);
    FeatureMaps::Workspace workspace(settings_->plan->maps);
    for (std::uint32_t j = 0; j < held.size(); ++j) {
      for (const std::uint32_t i : held[j]) {
        const double P = ((static_cast<double>(K - problem_.sample_size)) * p[i] +
                          static_cast<double>(problem_.sample_size) - 1.0) /
                         (static_cast<double>(K) - 1.0);
        const double weight = 1.0 / (static_cast<double>(held.size()) * P * (last - first));
        for (std::uint32_t t = first; t < last; ++t) {
          const TestExample e = problem_.example(j, t);
          workspace.begin(e.x);
          const auto z = settings_->plan->maps.features(i, workspace);
          double v = 0.0;
          for (std::size_t k = 0; k < z.size(); ++k) v += w[i][k] * static_cast<double>(z[k]);
          c[i] += weight * (v - e.y) * (v - e.y);
          for (std::size_t k = 0; k < z.size(); ++k) {
            g[i][k] += weight * 2.0 * (v - e.y) * static_cast<double>(z[k]);
          }
        }
      }
    }
    for (std::size_t i = 0; i < K; ++i) {
      double norm = 0.0;
      for (std::size_t k = 0; k < w[i].size(); ++k) {
        w[i][k] -= problem_.lambda * g[i][k];
        norm += w[i][k] * w[i][k];
      }
      const Space& space = problem_.spaces[i];
      const double side = space.radius / std::sqrt(static_cast<double>(w[i].size()));
      for (double& value : w[i]) {
        value = space.constraint == Constraint::ball
                    ? value * std::min(1.0, space.radius / std::sqrt(norm))
                    : std::clamp(value, -side, side);
      }
    }
    double sum = 0.0;  // all C equal: the closed form
    for (std::size_t i = 0; i < K; ++i) {
      p[i] *= std::exp(-problem_.eta * c[i] / problem_.loss_bound);
      sum += p[i];
    }
    for (double& value : p) value /= sum;
  }

 private:
  Problem problem_;
  std::shared_ptr<const OmsSettings> settings_;

 public:
  std::vector<double> p;
  std::vector<std::vector<double>> w;
};

}  // namespace caucus::conformance
