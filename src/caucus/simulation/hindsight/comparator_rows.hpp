// The sums over all rows for a Newton step, computed in blocks that are converted to double.
// Private to the comparator, because it uses Eigen types.
#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "caucus/simulation/hindsight/comparator.hpp"

namespace caucus {

class PooledRows {
 public:
  explicit PooledRows(const FeatureRows& rows)
      : z_(rows.z.data(), static_cast<Eigen::Index>(rows.y.size()),
           static_cast<Eigen::Index>(rows.dimension)) {}

  [[nodiscard]] Eigen::VectorXd forecasts(const Eigen::VectorXd& w) const {
    Eigen::VectorXd v = Eigen::VectorXd::Zero(z_.rows());
    each_block([&](Eigen::Index first, const Eigen::MatrixXd& block) {
      v.segment(first, block.cols()).noalias() = block.transpose() * w;
    });
    return v;
  }

  /// sum s_i z_i
  [[nodiscard]] Eigen::VectorXd gradient(const Eigen::VectorXd& s) const {
    Eigen::VectorXd g = Eigen::VectorXd::Zero(z_.cols());
    each_block([&](Eigen::Index first, const Eigen::MatrixXd& block) {
      g.noalias() += block * s.segment(first, block.cols());
    });
    return g;
  }

  /// sum h_i z_i z_i', without rows whose weight is below the rounding error.
  [[nodiscard]] Eigen::MatrixXd hessian(const Eigen::VectorXd& h) const {
    Eigen::MatrixXd H = Eigen::MatrixXd::Zero(z_.cols(), z_.cols());
    if (z_.size() == 0) return H;
    const double least = 1e-15 * h.maxCoeff();
    Eigen::MatrixXd block(z_.cols(), kRows);
    Eigen::Index filled = 0;
    const auto flush = [&] {
      if (filled > 0) H.selfadjointView<Eigen::Lower>().rankUpdate(block.leftCols(filled));
      filled = 0;
    };
    for (Eigen::Index i = 0; i < z_.rows(); ++i) {
      if (h[i] <= least) continue;
      block.col(filled++) = std::sqrt(h[i]) * z_.row(i).transpose().cast<double>();
      if (filled == kRows) flush();
    }
    flush();
    H.triangularView<Eigen::StrictlyUpper>() = H.transpose();
    return H;
  }

 private:
  template <class Visit>
  void each_block(Visit visit) const {
    if (z_.size() == 0) return;
    Eigen::MatrixXd block;
    for (Eigen::Index first = 0; first < z_.rows(); first += kRows) {
      block = z_.middleRows(first, std::min(kRows, z_.rows() - first)).transpose().cast<double>();
      visit(first, block);
    }
  }

  static constexpr Eigen::Index kRows = 128;
  using Rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  Eigen::Map<const Rows> z_;
};

}  // namespace caucus
