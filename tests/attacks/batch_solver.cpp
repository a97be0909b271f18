// Solves for all rows of a batch from the sums over them, by Levenberg's and Marquardt's method.
// Its linear systems are solved by conjugate gradients, since their matrix would be too large.
#include <algorithm>
#include <cmath>
#include <utility>

#include "attacks.hpp"
#include "caucus/core/base/random.hpp"

namespace caucus::attacks {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

/// The rows of a batch as far as they are known, and what follows from them for one space.
struct Fit {
  MatrixXd V;                    ///< v of every row
  std::vector<MatrixXd> slopes;  ///< dz/dx of every row
  MatrixXd error;                ///< V'V - S
};

class BatchProblem {
 public:
  BatchProblem(std::vector<SpaceSums> spaces, Index rows)
      : spaces_(std::move(spaces)), rows_(rows), inputs_(spaces_[0].features.inputs()) {}

  /// Computes the sums of these rows. Returns the squared distance from those that were sent.
  double fit(const MatrixXd& P, bool with_slopes, std::vector<Fit>& fits) const {
    double distance = 0.0;
    fits.resize(spaces_.size());
    for (std::size_t a = 0; a < spaces_.size(); ++a) {
      Fit& fit = fits[a];
      fit.V.resize(rows_, spaces_[a].sums.rows());
      fit.slopes.resize(static_cast<std::size_t>(rows_));
      VectorXd z;
      for (Index i = 0; i < rows_; ++i) {
        spaces_[a].features.at(P.row(i).head(inputs_).transpose(), z,
                               with_slopes ? &fit.slopes[static_cast<std::size_t>(i)] : nullptr);
        fit.V(i, 0) = P(i, inputs_);
        fit.V.row(i).tail(z.size()) = z.transpose();
      }
      fit.error = fit.V.transpose() * fit.V - spaces_[a].sums;
      distance += fit.error.squaredNorm();
    }
    return distance;
  }

  /// Adds the derivative of <Q, V'V> for a symmetric Q.
  void add_slope(const Fit& fit, const MatrixXd& Q, MatrixXd& into) const {
    const MatrixXd G = 2.0 * fit.V * Q;
    for (Index i = 0; i < rows_; ++i) {
      into(i, inputs_) += G(i, 0);
      into.row(i).head(inputs_) +=
          G.row(i).tail(G.cols() - 1) * fit.slopes[static_cast<std::size_t>(i)];
    }
  }

  /// Returns the change of V'V with the rows.
  [[nodiscard]] MatrixXd change(const Fit& fit, const MatrixXd& step) const {
    MatrixXd dV(rows_, fit.V.cols());
    for (Index i = 0; i < rows_; ++i) {
      dV(i, 0) = step(i, inputs_);
      dV.row(i).tail(dV.cols() - 1) =
          step.row(i).head(inputs_) * fit.slopes[static_cast<std::size_t>(i)].transpose();
    }
    const MatrixXd half = fit.V.transpose() * dV;
    return half + half.transpose();
  }

  /// Returns the part of the normal matrix that belongs to one row, for the preconditioner.
  [[nodiscard]] MatrixXd block(const std::vector<Fit>& fits, Index i) const {
    MatrixXd sum = MatrixXd::Zero(inputs_ + 1, inputs_ + 1);
    for (const Fit& fit : fits) {
      MatrixXd slope = MatrixXd::Zero(fit.V.cols(), inputs_ + 1);
      slope(0, inputs_) = 1.0;
      slope.bottomLeftCorner(fit.V.cols() - 1, inputs_) = fit.slopes[static_cast<std::size_t>(i)];
      const VectorXd v = fit.V.row(i).transpose();
      const VectorXd along = slope.transpose() * v;
      sum += 2.0 * (v.squaredNorm() * slope.transpose() * slope + along * along.transpose());
    }
    return sum;
  }

  [[nodiscard]] Index rows() const { return rows_; }
  [[nodiscard]] Index numbers() const { return inputs_ + 1; }

 private:
  std::vector<SpaceSums> spaces_;
  Index rows_, inputs_;
};

double dot(const MatrixXd& a, const MatrixXd& b) { return a.cwiseProduct(b).sum(); }

/// Solves (J'J + damping diag) step = -slope.
MatrixXd damped_step(const BatchProblem& problem, const std::vector<Fit>& fits,
                     const std::vector<MatrixXd>& blocks, const MatrixXd& slope, double damping) {
  std::vector<Eigen::LDLT<MatrixXd>> inverses;
  MatrixXd diagonal(problem.rows(), problem.numbers());
  for (Index i = 0; i < problem.rows(); ++i) {
    MatrixXd damped = blocks[static_cast<std::size_t>(i)];
    diagonal.row(i) = damping * damped.diagonal().transpose().array() + 1e-12;
    damped.diagonal() += diagonal.row(i).transpose();
    inverses.emplace_back(damped);
  }
  const auto apply = [&](const MatrixXd& p) {
    MatrixXd out = diagonal.cwiseProduct(p);
    for (const Fit& fit : fits) problem.add_slope(fit, problem.change(fit, p), out);
    return out;
  };
  const auto precondition = [&](const MatrixXd& r) {
    MatrixXd out(r.rows(), r.cols());
    for (Index i = 0; i < r.rows(); ++i) {
      out.row(i) = inverses[static_cast<std::size_t>(i)].solve(r.row(i).transpose()).transpose();
    }
    return out;
  };
  constexpr int kMost = 300;
  constexpr double kEnough = 1e-3;
  MatrixXd step = MatrixXd::Zero(slope.rows(), slope.cols());
  MatrixXd r = -slope, z = precondition(r), p = z;
  double rz = dot(r, z);
  const double enough = kEnough * r.norm();
  for (int k = 0; k < kMost && r.norm() > enough; ++k) {
    const MatrixXd image = apply(p);
    const double length = rz / dot(p, image);
    step += length * p;
    r -= length * image;
    z = precondition(r);
    const double next = dot(r, z);
    p = z + next / rz * p;
    rz = next;
  }
  return step;
}

void descend(const BatchProblem& problem, MatrixXd& P, int steps) {
  constexpr double kFarOutside = 3.0;  // rows may leave their range on the way
  constexpr double kMostDamping = 1e8;
  std::vector<Fit> fits, trial_fits;
  double distance = problem.fit(P, true, fits), damping = 1e-2;
  for (int n = 0; n < steps; ++n) {
    MatrixXd slope = MatrixXd::Zero(P.rows(), P.cols());
    for (const Fit& fit : fits) problem.add_slope(fit, fit.error, slope);
    std::vector<MatrixXd> blocks;
    for (Index i = 0; i < P.rows(); ++i) blocks.push_back(problem.block(fits, i));
    const double before = distance;
    for (bool better = false; !better && damping < kMostDamping;) {
      const MatrixXd trial = (P + damped_step(problem, fits, blocks, slope, damping))
                                 .cwiseMax(-kFarOutside)
                                 .cwiseMin(kFarOutside);
      const double value = problem.fit(trial, false, trial_fits);
      better = value < distance;
      damping = better ? std::max(1e-9, damping / 4.0) : 5.0 * damping;
      if (!better) continue;
      P = trial;
      distance = problem.fit(P, true, fits);
    }
    constexpr double kRounding = 1e-7;  // of the floats that were sent
    const double exact = kRounding * static_cast<double>(P.rows());
    if (before - distance < 1e-5 * before || distance < exact * exact) return;
  }
}

}  // namespace

Guesses solve_for_batch(const Evidence& evidence, const Effort& effort) {
  auto spaces = sums_in(evidence);
  if (spaces.empty()) return {};
  const auto rows = static_cast<Index>(evidence.report.reports.examples[0]);
  const Moments moments = moments_in(spaces[0], static_cast<double>(rows));
  const BatchProblem problem(std::move(spaces), rows);
  Stream stream({7, Purpose::test, 0, static_cast<std::uint32_t>(evidence.report.batch), 0});
  MatrixXd P(rows, problem.numbers());
  for (Index i = 0; i < rows; ++i) {
    VectorXd draw(P.cols());
    for (double& number : draw) number = stream.normal();
    P.row(i) = (moments.mean + moments.root * draw).cwiseMax(-1.0).cwiseMin(1.0).transpose();
  }
  descend(problem, P, effort.steps);
  Guesses guesses;
  for (Index i = 0; i < rows; ++i) guesses.emplace_back(P.row(i).transpose());
  return guesses;
}

}  // namespace caucus::attacks
