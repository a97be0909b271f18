#include "caucus/core/statistics/least_squares.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "caucus/core/solvers/quadratic.hpp"

namespace caucus {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

/// Returns A with the ridge on its diagonal, for the first d coordinates. Only the lower triangle
/// is written.
Matrix lower_part(const SymmetricMatrix& sums, const Ridge& ridge, Eigen::Index d,
                  std::size_t targets) {
  Matrix A(d, d);
  const auto size = static_cast<std::size_t>(d);
  sums.write_lower(targets, size + targets, size, A.data());
  const auto first = static_cast<Eigen::Index>(std::min(ridge.first, size));
  A.diagonal().head(first).array() += ridge.of_first;
  A.diagonal().tail(d - first).array() += ridge.value;
  return A;
}

/// Returns whether all numbers are finite. A sum that overflows counts as one that is not.
bool is_finite(const Matrix& lower) {
  double sum = 0.0;
  for (Eigen::Index k = 0; k < lower.cols(); ++k) sum += lower.col(k).tail(lower.rows() - k).sum();
  return std::isfinite(sum);
}

/// Returns the number of coordinates up to the last one with data. Those after it are 0 at the
/// minimum.
std::size_t coordinates_with_data(const SymmetricMatrix& sums, std::size_t d, std::size_t targets) {
  std::size_t last = std::min(d + targets, sums.size());
  while (last > targets && sums(last - 1, last - 1) == 0.0) --last;
  return last > targets ? last - targets : 0;
}

std::vector<double> in_box(const Matrix& A, const Vector& b, double bound) {
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
                         std::span<double> w, std::size_t targets) {
  const std::size_t size = w.size() / targets;
  const std::size_t known = coordinates_with_data(sums, size, targets);
  const auto d = static_cast<Eigen::Index>(known);
  // Only the ridge determines coordinates without data.
  if (known < size && !(ridge.value > 0.0)) return false;
  if (known < std::min(ridge.first, size) && !(ridge.of_first > 0.0)) return false;
  if (known == 0) {
    std::fill(w.begin(), w.end(), 0.0);
    return true;
  }
  Matrix A = lower_part(sums, ridge, d, targets);
  Matrix b(d, static_cast<Eigen::Index>(targets));
  for (std::size_t c = 0; c < targets; ++c) {
    for (std::size_t k = 0; k < known; ++k) {
      b(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(c)) = sums(k + targets, c);
    }
  }
  if (!is_finite(A) || !b.allFinite()) return false;
  const double bound = box_bound(region, size);
  std::vector<double> solutions;
  const auto add = [&](const std::vector<double>& solution) {
    solutions.insert(solutions.end(), solution.begin(), solution.end());
    solutions.resize(solutions.size() + size - known, 0.0);
  };
  if (!std::isinf(bound)) {
    for (Eigen::Index c = 0; c < b.cols(); ++c) add(in_box(A, b.col(c), bound));
  } else {
    const Eigen::LLT<Eigen::Ref<Matrix>> cholesky(A);
    if (cholesky.info() != Eigen::Success) return false;
    for (Eigen::Index c = 0; c < b.cols(); ++c) {
      const Vector found = cholesky.solve(b.col(c));
      if (found.norm() > region.radius) {
        add(in_ball(lower_part(sums, ridge, d, targets), b.col(c), region.radius));
      } else {
        add({found.data(), found.data() + d});
      }
    }
  }
  const auto finite = [](double value) { return std::isfinite(value); };
  if (!std::all_of(solutions.begin(), solutions.end(), finite)) return false;
  std::copy(solutions.begin(), solutions.end(), w.begin());
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
  }
  // Errors of e sqrt(S_ii S_jj) change no eigenvalue by more than e d times the diagonal.
  constexpr double kRounding = 2e-6;
  constexpr double kUnderflow = 1e-30;
  // If a row was removed, a column without other values has an error that is not small for it.
  const double removed = 1e-8 * A.trace();
  A.diagonal() *= 1.0 + kRounding * static_cast<double>(d);
  A.diagonal().array() += kUnderflow + removed;
  const Eigen::LLT<Eigen::Ref<Matrix>> cholesky(A);
  return cholesky.info() == Eigen::Success;
}

double sum_of_squares(const SymmetricMatrix& sums, std::span<const double> w, std::size_t targets) {
  const std::size_t size = w.size() / targets;
  std::vector<double> v(sums.padded_size(), 0.0);
  std::vector<double> image(sums.padded_size(), 0.0);
  double sum = 0.0;
  for (std::size_t c = 0; c < targets; ++c) {
    std::fill(v.begin(), v.end(), 0.0);
    v[c] = -1.0;  // S applied to (-1, w) gives (<w, z> - y)^2
    std::copy_n(w.begin() + static_cast<std::ptrdiff_t>(c * size),
                std::min(size, sums.size() - targets),
                v.begin() + static_cast<std::ptrdiff_t>(targets));
    sums.multiply(v, image);
    sum += std::max(0.0, dot_padded(v, image));
  }
  return sum;
}

}  // namespace caucus
