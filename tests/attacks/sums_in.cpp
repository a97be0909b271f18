#include <algorithm>

#include "attacks.hpp"
#include "caucus/core/statistics/row_sums.hpp"

namespace caucus::attacks {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

std::vector<SpaceSums> sums_in(const Evidence& evidence) {
  std::vector<SpaceSums> all;
  const ReportBatch& reports = evidence.report.reports;
  for (std::size_t a = 0; a < reports.spaces.size(); ++a) {
    if (reports.sizes[a] == 0) continue;
    const auto rows = static_cast<Index>(triangle_rows(reports.sizes[a]));
    MatrixXd sums(rows, rows);
    const float* from = reports.directions[a];
    for (Index r = 0; r < rows; ++r) {
      for (Index c = 0; c <= r; ++c) sums(r, c) = sums(c, r) = static_cast<double>(*from++);
    }
    all.push_back({evidence.features[reports.spaces[a]].first(rows - 1), std::move(sums)});
  }
  return all;
}

Moments moments_in(const SpaceSums& sums, double rows) {
  const KnownFeatures& features = sums.features;
  const Index d = features.inputs();
  // (x, y) = B v, as far as v has these coordinates.
  MatrixXd B = MatrixXd::Zero(d + 1, sums.sums.rows());
  for (Index k = 0; k < std::min(d, features.size()); ++k) {
    B(k, k + 1) = 1.0 / features.leading_factor();
  }
  B(d, 0) = 1.0;
  Moments moments{VectorXd::Zero(d + 1), {}};
  MatrixXd covariance = B * sums.sums * B.transpose() / rows;
  if (features.leading() > d && features.size() > d) {
    moments.mean = B * sums.sums.col(d + 1) / rows;
    covariance -= moments.mean * moments.mean.transpose();
  }
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(covariance);
  moments.root = eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0.0).cwiseSqrt().asDiagonal();
  return moments;
}

}  // namespace caucus::attacks
