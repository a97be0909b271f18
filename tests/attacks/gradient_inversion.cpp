#include <cmath>

#include "attacks.hpp"
#include "caucus/core/base/random.hpp"
#include "levenberg_marquardt.hpp"

namespace caucus::attacks {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

/// g / (2 sqrt(c)) of one held model.
struct Direction {
  const KnownFeatures* features;
  VectorXd z;       ///< the features, up to their sign
  double residual;  ///< sqrt(c) = |v - y|
  const std::vector<float>* weights;
};

std::vector<Direction> directions_in(const Evidence& evidence) {
  std::vector<Direction> all;
  const ReportBatch& reports = evidence.report.reports;
  for (std::size_t a = 0; a < reports.spaces.size(); ++a) {
    const auto gradient = reports.direction(a);
    const double residual = std::sqrt(static_cast<double>(reports.losses[a]));
    const Eigen::Map<const Eigen::VectorXf> g(gradient.data(), static_cast<Index>(gradient.size()));
    const double factor = static_cast<double>(reports.factors[a]) / (2.0 * residual);
    all.push_back({&evidence.features[reports.spaces[a]], g.cast<double>() * factor, residual,
                   &evidence.sent.held[a].weights});
  }
  return all;
}

double output_of(const Direction& direction, const VectorXd& x) {
  VectorXd z;
  direction.features->at(x, z, nullptr);
  const Eigen::Map<const Eigen::VectorXf> w(direction.weights->data(), z.size());
  return w.cast<double>().dot(z);
}

}  // namespace

Guesses invert_gradients(const Evidence& evidence, const Effort& effort) {
  const auto directions = directions_in(evidence);
  if (directions.empty()) return {};
  const Index d = directions[0].features->inputs();
  Minimum best;
  double sign_of_first = 1.0;
  for (unsigned signs = 0; signs < (1U << directions.size()); ++signs) {
    const auto sign = [&](std::size_t k) { return ((signs >> k) & 1U) == 0 ? 1.0 : -1.0; };
    /// The distance of z(x) from what was sent, in the spaces from `first` to `last`.
    const auto residual_of = [&](std::size_t first, std::size_t last) {
      return [&, first, last](const VectorXd& x, VectorXd& r, MatrixXd* J) {
        Index size = 0;
        for (std::size_t k = first; k <= last; ++k) size += directions[k].z.size();
        r.resize(size);
        if (J != nullptr) J->resize(size, d);
        Index at = 0;
        VectorXd z;
        MatrixXd slope;
        for (std::size_t k = first; k <= last; ++k) {
          directions[k].features->at(x, z, J != nullptr ? &slope : nullptr);
          r.segment(at, z.size()) = z - sign(k) * directions[k].z;
          if (J != nullptr) J->middleRows(at, z.size()) = slope;
          at += z.size();
        }
      };
    };
    Stream stream({5, Purpose::test, 0, static_cast<std::uint32_t>(evidence.report.batch), signs});
    constexpr double kExact = 1e-10;
    const std::size_t last = directions.size() - 1;
    for (int start = 0; start < effort.starts && best.value > kExact; ++start) {
      VectorXd x(d);
      for (Index k = 0; k < d; ++k) x[k] = start == 0 ? 0.0 : 2.0 * stream.uniform() - 1.0;
      // One space comes before all together: wide kernels have fewer minima than narrow ones.
      const std::size_t alone = static_cast<std::size_t>(start) % directions.size();
      x = minimise(residual_of(alone, alone), x, 1.0, effort.steps).point;
      const Minimum found = minimise(residual_of(0, last), x, 1.0, effort.steps);
      if (found.value < best.value) {
        best = found;
        sign_of_first = sign(0);
      }
    }
  }
  VectorXd row(d + 1);
  row.head(d) = best.point;
  row[d] = output_of(directions[0], best.point) - sign_of_first * directions[0].residual;
  return {row};
}

}  // namespace caucus::attacks
