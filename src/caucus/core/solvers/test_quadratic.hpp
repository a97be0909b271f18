// Random quadratics and plain arithmetic for the tests of the solvers. They do not use Eigen, so
// that a wrong use of it cannot affect both sides of a comparison.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "caucus/core/base/random.hpp"
#include "caucus/core/solvers/quadratic.hpp"

namespace caucus::testing {

struct Problem {
  std::vector<double> A, b;
  [[nodiscard]] QuadraticForm form() const { return {A, b}; }
  [[nodiscard]] std::size_t dimension() const { return b.size(); }
};

/// A = sum of `rank` terms s x x' with normal x, s falling from 1 to `smallest`; b normal, or, with
/// b_in_range, a combination of the x.
inline Problem random_problem(std::uint64_t seed, std::size_t d, std::size_t rank,
                              double smallest = 1.0, bool b_in_range = false) {
  Stream stream({.seed = seed, .purpose = Purpose::test});
  Problem p{std::vector<double>(d * d, 0.0), std::vector<double>(d, 0.0)};
  std::vector<double> x(d);
  for (std::size_t r = 0; r < rank; ++r) {
    for (double& entry : x) entry = stream.normal();
    const double part = rank > 1 ? static_cast<double>(r) / static_cast<double>(rank - 1) : 0.0;
    const double s = std::pow(smallest, part);
    const double share = stream.normal();
    for (std::size_t i = 0; i < d; ++i) {
      for (std::size_t j = 0; j < d; ++j) p.A[i * d + j] += s * (x[i] * x[j]);
      if (b_in_range) p.b[i] += s * share * x[i];
    }
  }
  if (!b_in_range) {
    for (double& entry : p.b) entry = stream.normal();
  }
  return p;
}

inline double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}
inline double norm(std::span<const double> a) { return std::sqrt(dot(a, a)); }

/// Aw - b
inline std::vector<double> gradient(const Problem& p, std::span<const double> w) {
  const std::size_t d = p.dimension();
  std::vector<double> g(d);
  for (std::size_t i = 0; i < d; ++i) g[i] = dot({p.A.data() + i * d, d}, w) - p.b[i];
  return g;
}

inline double value(const Problem& p, std::span<const double> w) {
  return 0.5 * (dot(gradient(p, w), w) - dot(p.b, w));
}

inline double trace(const Problem& p) {
  double sum = 0.0;
  for (std::size_t i = 0; i < p.dimension(); ++i) sum += p.A[i * p.dimension() + i];
  return sum;
}

/// Projected gradient descent with steps 1 / trace(A), which is slow and simple.
template <class Project>
std::vector<double> projected_descent(const Problem& p, int steps, Project project) {
  std::vector<double> w(p.dimension(), 0.0);
  const double rate = 1.0 / trace(p);
  for (int step = 0; step < steps; ++step) {
    const auto g = gradient(p, w);
    for (std::size_t i = 0; i < w.size(); ++i) w[i] -= rate * g[i];
    project(w);
  }
  return w;
}

}  // namespace caucus::testing
