#include <Eigen/Dense>
#include <algorithm>
#include <cassert>
#include <cmath>

#include "caucus/core/solvers/quadratic.hpp"
#include "caucus/simulation/hindsight/comparator.hpp"

namespace caucus {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

/// Rows per rank update: enough for the full speed of the matrix kernel, and few enough for the
/// cache.
constexpr std::size_t kBlock = 128;

void add_block(Eigen::Ref<Matrix> A, Eigen::Ref<Vector> b, std::span<const double> z,
               std::span<const double> y) {
  const auto rows = static_cast<Eigen::Index>(y.size());
  if (rows == 0 || b.size() == 0) return;
  const Eigen::Map<const Matrix> Z(z.data(), b.size(), rows);
  A.selfadjointView<Eigen::Lower>().rankUpdate(Z);
  b.noalias() += Z * Eigen::Map<const Vector>(y.data(), rows);
}

}  // namespace

GramComparator::GramComparator(std::size_t dimension) : GramComparator(dimension, 0.0, false) {}

GramComparator::GramComparator(std::size_t dimension, double yy, bool from_floats)
    : dimension_(dimension),
      from_floats_(from_floats),
      A_(dimension * dimension, 0.0),
      b_(dimension, 0.0),
      yy_(yy) {
  pending_.reserve(kBlock * dimension);
  pending_y_.reserve(kBlock);
}

GramComparator::GramComparator(const SymmetricMatrix& sums)
    : GramComparator(sums.size() - 1, sums(0, 0), true) {
  for (std::size_t r = 0; r < dimension_; ++r) {
    b_[r] = sums(r + 1, 0);
    for (std::size_t c = 0; c <= r; ++c) A_[c * dimension_ + r] = sums(r + 1, c + 1);
  }
}

void GramComparator::add(std::span<const float> z, double y) {
  assert(z.size() == dimension_);
  pending_.insert(pending_.end(), z.begin(), z.end());
  pending_y_.push_back(y);
  yy_ += y * y;
  if (pending_y_.size() < kBlock) return;
  const auto d = static_cast<Eigen::Index>(dimension_);
  add_block(Eigen::Map<Matrix>(A_.data(), d, d), Eigen::Map<Vector>(b_.data(), d), pending_,
            pending_y_);
  pending_.clear();
  pending_y_.clear();
}

BestFit GramComparator::best(const Region& region) const { return best({&region, 1}).front(); }

std::vector<BestFit> GramComparator::best(std::span<const Region> regions) const {
  const auto d = static_cast<Eigen::Index>(dimension_);
  Matrix A = Eigen::Map<const Matrix>(A_.data(), d, d);
  Vector b = Eigen::Map<const Vector>(b_.data(), d);
  add_block(A, b, pending_, pending_y_);
  A.triangularView<Eigen::StrictlyUpper>() = A.transpose();
  const QuadraticForm form{{A.data(), dimension_ * dimension_}, {b.data(), dimension_}};

  std::function<QuadraticMinimum(double)> on_ball;
  std::vector<BestFit> fits;
  for (const Region& region : regions) {
    const double bound = box_bound(region, dimension_);
    if (!std::isfinite(bound) && !on_ball) on_ball = quadratic_on_ball(form);
    QuadraticMinimum minimum =
        std::isfinite(bound) ? minimise_on_box(form, bound) : on_ball(region.radius);
    const Eigen::Map<const Vector> w(minimum.weights.data(), d);
    const Vector size = w.cwiseAbs();
    const double terms = size.dot(A.cwiseAbs() * size) + 2.0 * size.dot(b.cwiseAbs()) + yy_;
    double rounding = 8.0 * std::numeric_limits<double>::epsilon() * terms;
    if (from_floats_) {
      const double sizes = size.dot(A.diagonal().cwiseMax(0.0).cwiseSqrt()) + std::sqrt(yy_);
      rounding += kFloatError * sizes * sizes;
    }
    const double loss = std::max(0.0, 2.0 * minimum.value + yy_);
    // Squares are not negative, so the loss itself bounds the gap.
    const double gap = std::min(2.0 * minimum.gap, loss) + rounding;
    fits.push_back({loss, gap, std::move(minimum.weights)});
  }
  return fits;
}

}  // namespace caucus
