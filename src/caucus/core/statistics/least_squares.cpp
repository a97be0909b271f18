#include "caucus/core/statistics/least_squares.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "caucus/core/solvers/quadratic.hpp"

namespace caucus {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

/// Writes the lower triangle of A with the ridge on its diagonal.
void write_lower(const SymmetricMatrix& sums, const Ridge& ridge, Matrix& A) {
  for (Eigen::Index column = 0; column < A.cols(); ++column) {
    for (Eigen::Index row = column; row < A.rows(); ++row) {
      A(row, column) =
          sums(static_cast<std::size_t>(row) + 1, static_cast<std::size_t>(column) + 1);
    }
    const bool is_first = static_cast<std::size_t>(column) < ridge.first;
    A(column, column) += is_first ? ridge.of_first : ridge.value;
  }
}

std::vector<double> in_box(Matrix& A, const Vector& b, double bound) {
  const Matrix whole = A.selfadjointView<Eigen::Lower>();
  const std::span<const double> values(whole.data(), static_cast<std::size_t>(whole.size()));
  return minimise_on_box({values, {b.data(), static_cast<std::size_t>(b.size())}}, bound).weights;
}

std::vector<double> in_ball(const Matrix& A, const Vector& b, double radius) {
  const Matrix whole = A.selfadjointView<Eigen::Lower>();
  const std::span<const double> values(whole.data(), static_cast<std::size_t>(whole.size()));
  return quadratic_on_ball({values, {b.data(), static_cast<std::size_t>(b.size())}})(radius)
      .weights;
}

}  // namespace

bool solve_least_squares(const SymmetricMatrix& sums, const Ridge& ridge, const Region& region,
                         std::span<double> w) {
  const auto d = static_cast<Eigen::Index>(w.size());
  Matrix A = Matrix::Zero(d, d);
  write_lower(sums, ridge, A);
  Vector b(d);
  for (std::size_t k = 0; k < w.size(); ++k) b[static_cast<Eigen::Index>(k)] = sums(k + 1, 0);
  if (!A.allFinite() || !b.allFinite()) return false;
  const double bound = box_bound(region, w.size());
  std::vector<double> solution;
  if (!std::isinf(bound)) {
    solution = in_box(A, b, bound);
  } else {
    Matrix factor = A;
    const Eigen::LLT<Eigen::Ref<Matrix>> cholesky(factor);
    if (cholesky.info() != Eigen::Success) return false;
    const Vector found = cholesky.solve(b);
    solution.assign(found.data(), found.data() + d);
    if (found.norm() > region.radius) solution = in_ball(A, b, region.radius);
  }
  const auto finite = [](double value) { return std::isfinite(value); };
  if (!std::all_of(solution.begin(), solution.end(), finite)) return false;
  std::copy(solution.begin(), solution.end(), w.begin());
  return true;
}

bool is_semidefinite(const SymmetricMatrix& sums) {
  const auto d = static_cast<Eigen::Index>(sums.size());
  Matrix A(d, d);
  for (Eigen::Index column = 0; column < d; ++column) {
    for (Eigen::Index row = column; row < d; ++row) {
      A(row, column) = sums(static_cast<std::size_t>(row), static_cast<std::size_t>(column));
      if (!std::isfinite(A(row, column))) return false;
    }
    if (A(column, column) < 0.0) return false;
  }
  // Errors of e sqrt(S_ii S_jj) change no eigenvalue by more than e d times the diagonal.
  constexpr double kRounding = 2e-6;
  constexpr double kUnderflow = 1e-30;
  A.diagonal() *= 1.0 + kRounding * static_cast<double>(d);
  A.diagonal().array() += kUnderflow;
  const Eigen::LLT<Eigen::Ref<Matrix>> cholesky(A);
  return cholesky.info() == Eigen::Success;
}

double sum_of_squares(const SymmetricMatrix& sums, std::span<const double> w) {
  std::vector<double> v(sums.padded_size(), 0.0);
  std::vector<double> image(sums.padded_size(), 0.0);
  v[0] = -1.0;  // S applied to (-1, w) gives (<w, z> - y)^2
  std::copy_n(w.begin(), std::min(w.size(), sums.size() - 1), v.begin() + 1);
  sums.multiply(v, image);
  return std::max(0.0, dot_padded(v, image));
}

}  // namespace caucus
