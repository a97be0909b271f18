// Attacks on sums that look for one row after another.
#include <algorithm>
#include <cmath>

#include "attacks.hpp"
#include "caucus/core/base/random.hpp"
#include "levenberg_marquardt.hpp"

namespace caucus::attacks {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

/// Minimises the sum over the spaces of |W v(x, y)|^2 from rows of the batch's mean and covariance.
Guesses minimise_from_many_starts(const Evidence& evidence, const std::vector<SpaceSums>& spaces,
                                  const std::vector<MatrixXd>& weights, const Effort& effort) {
  Index size = 0;
  for (const MatrixXd& W : weights) size += W.rows();
  if (size == 0) return {};
  const Index d = spaces[0].features.inputs();
  const auto residual = [&](const VectorXd& row, VectorXd& r, MatrixXd* J) {
    r.resize(size);
    if (J != nullptr) J->resize(size, d + 1);
    Index at = 0;
    VectorXd z;
    MatrixXd slope;
    for (std::size_t a = 0; a < spaces.size(); ++a) {
      const MatrixXd& W = weights[a];
      spaces[a].features.at(row.head(d), z, J != nullptr ? &slope : nullptr);
      r.segment(at, W.rows()) = W.col(0) * row[d] + W.rightCols(z.size()) * z;
      if (J != nullptr) {
        J->block(at, d, W.rows(), 1) = W.col(0);
        J->block(at, 0, W.rows(), d) = W.rightCols(z.size()) * slope;
      }
      at += W.rows();
    }
  };
  const Moments moments = moments_in(spaces[0], evidence.report.reports.examples[0]);
  Stream stream({6, Purpose::test, 0, static_cast<std::uint32_t>(evidence.report.batch), 0});
  Guesses guesses;
  for (int start = 0; start < effort.starts; ++start) {
    VectorXd draw(d + 1);
    for (double& number : draw) number = stream.normal();
    const VectorXd row = moments.mean + moments.root * draw;
    guesses.push_back(minimise(residual, row, 1.0, effort.steps).point);
  }
  return guesses;
}

}  // namespace

Guesses search_span(const Evidence& evidence, const Effort& effort) {
  const auto spaces = sums_in(evidence);
  std::vector<MatrixXd> outside;
  for (const SpaceSums& space : spaces) {
    const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(space.sums);
    const auto rows = static_cast<Index>(evidence.report.reports.examples[0]);
    const Index null = space.sums.rows() - std::min(rows, space.sums.rows());
    outside.emplace_back(eigen.eigenvectors().leftCols(null).transpose());
  }
  return minimise_from_many_starts(evidence, spaces, outside, effort);
}

Guesses search_likely_rows(const Evidence& evidence, const Effort& effort) {
  const auto spaces = sums_in(evidence);
  std::vector<MatrixXd> whitening;
  for (const SpaceSums& space : spaces) {
    const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(space.sums);
    const double rounding = 1e-7 * eigen.eigenvalues().maxCoeff();  // of floats
    const VectorXd scale = (eigen.eigenvalues().array().max(0.0) + rounding).rsqrt();
    whitening.emplace_back(scale.asDiagonal() * eigen.eigenvectors().transpose());
  }
  return minimise_from_many_starts(evidence, spaces, whitening, effort);
}

namespace {

/// Returns a for which a'z(x) is nearest to x_k over rows like those of the batch, by least
/// squares. If the coordinate x_k itself is left out, the random features take its place.
VectorXd direction_of(const KnownFeatures& features, const MatrixXd& Z, const MatrixXd& rows,
                      Index k, bool without_itself) {
  if (!without_itself) return VectorXd::Unit(features.size(), k) / features.leading_factor();
  MatrixXd regressors = Z;
  regressors.col(k).setZero();
  MatrixXd normal = regressors.transpose() * regressors;
  normal.diagonal().array() += 1e-9 * normal.trace();
  return normal.ldlt().solve(regressors.transpose() * rows.col(k));
}

}  // namespace

Guesses read_rare_values(const Evidence& evidence) {
  Guesses guesses;
  for (const SpaceSums& space : sums_in(evidence)) {
    const KnownFeatures& features = space.features;
    const Index d = features.inputs(), one = d + 1;
    if (features.leading() <= d || features.size() <= d) continue;
    constexpr Index kDraws = 1000;
    Stream stream({8, Purpose::test, 0, static_cast<std::uint32_t>(evidence.report.batch), 0});
    MatrixXd rows(kDraws, d), Z(kDraws, features.size());
    for (Index n = 0; n < kDraws; ++n) {
      for (Index k = 0; k < d; ++k) rows(n, k) = 2.0 * stream.uniform() - 1.0;
      VectorXd z;
      features.at(rows.row(n).transpose(), z, nullptr);
      Z.row(n) = z.transpose();
    }
    for (Index k = 0; k < d; ++k) {
      for (const bool without_itself : {false, true}) {
        const VectorXd a = direction_of(features, Z, rows, k, without_itself);
        for (const double common : {-1.0, 0.0, 1.0}) {  // the ends of the range, and its middle
          VectorXd u(features.size() + 1);
          u << 0.0, a;
          u[one] -= common;
          const VectorXd image = space.sums * u;  // sum of (x_k - c) v
          const double squares = u.dot(image);    // sum of (x_k - c)^2
          const double sum = image[one];          // sum of x_k - c
          constexpr double kLeast = 0.1, kNearOne = 0.1;
          if (squares < kLeast || std::abs(sum * sum / squares - 1.0) > kNearOne) continue;
          VectorXd row(d + 1);
          row.head(d) = image.segment(1, d) / (sum * features.leading_factor());
          row[d] = image[0] / sum;
          guesses.push_back(row);
        }
      }
    }
  }
  return guesses;
}

}  // namespace caucus::attacks
