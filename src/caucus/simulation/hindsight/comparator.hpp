// The best hypothesis in hindsight: the minimum of the summed loss over a space, its minimiser and
// a bound on the error. Regret is measured against it. It needs all data in one place, so only a
// simulation can compute it. The space is { x -> <w, z(x)> : w in a region }.
//
// For the square loss GramComparator keeps Gram statistics, which serve any prefix and any region.
// For other losses best_in_hindsight() uses the rows.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "caucus/core/mirror/region.hpp"
#include "caucus/core/solvers/symmetric_matrix.hpp"
#include "caucus/loss.hpp"

namespace caucus {

/// loss - gap <= min over the region <= loss. The loss is -infinity if there is no lower bound.
struct BestFit {
  double loss = 0.0;
  double gap = 0.0;
  std::vector<double> weights;
};

/// Minimises sum (<w, z> - y)^2 = w'Aw - 2 b'w + y'y with A = sum z z' and b = sum y z. It takes
/// O(d^2) memory, whatever the number of rows, and serves all regions over the same features.
///
/// Precision: products of floats are exact in double, so the error of an entry is a few eps times
/// the sum of the sizes of its terms, and that of the loss a few eps times S = |w|'|A||w| + 2
/// |b|'|w| + y'y. If the fit is nearly perfect, the loss is a small difference of such terms: with
/// |z| <= 1 and |w| <= U, S is about (U + Y)^2 per row, so that a mean loss of 1e-4 keeps 10 digits
/// at U = 1 and 6 at U = 100. The gap includes 8 eps S and therefore shows lost digits, which occur
/// if the radius is infinite, or so large that w cancels between nearly dependent features.
class GramComparator {
 public:
  explicit GramComparator(std::size_t dimension);
  /// Takes the sums of (y, z) of all examples, which clients have rounded to floats: their entries
  /// are wrong by up to kFloatError of the root of the sums of both squares, and the gap says what
  /// follows for the loss.
  explicit GramComparator(const SymmetricMatrix& sums);

  void add(std::span<const float> z, double y);
  [[nodiscard]] BestFit best(const Region& region) const;
  /// Solves for each region, with one eigendecomposition for all balls.
  [[nodiscard]] std::vector<BestFit> best(std::span<const Region> regions) const;

 private:
  GramComparator(std::size_t dimension, double yy, bool from_floats);
  /// The relative error of 16 products that are added as floats, and of the sum as a float.
  static constexpr double kFloatError = 0x1p-22;

  std::size_t dimension_;
  bool from_floats_ = false;
  std::vector<double> A_;        ///< d x d, lower triangle; without the pending rows
  std::vector<double> b_;        ///< without the pending rows
  std::vector<double> pending_;  ///< rows that wait for a block, each with d entries
  std::vector<double> pending_y_;
  double yy_ = 0.0;
};

/// A view of examples: y.size() rows of `dimension` features, one after another.
struct FeatureRows {
  std::span<const float> z;
  std::size_t dimension = 0;
  std::span<const float> y;
};

/// Minimises sum loss(<w, z>, y) over the region by Newton steps. A step computes the gradient and
/// the Hessian over all rows in O(n d^2), minimises that quadratic over the region (quadratic.hpp),
/// and searches on the line to the minimum. A kink a|r| is smoothed to a sqrt(r^2 + mu^2) with mu
/// decreasing to 0.
///
/// The gap follows from Fenchel's inequality: for slopes s_i in the domain of the conjugate loss
/// f*,
///   loss(w) - min <= sum [f_i(v_i) + f_i*(s_i) - s_i v_i] + <g, w> + max over the region of <-g,
///   u>
/// with g = sum s_i z_i. With the slopes of the smoothed loss the brackets are a (|r| - r^2 /
/// sqrt(r^2 + mu^2)): the bound is on the true loss, and for losses without kinks it is the
/// Frank-Wolfe gap. The search ends when the gap is below 1e-8 of the loss, or at a limit of steps.
///
/// With an infinite radius the gap holds against all weights up to five times as long as those
/// returned, and it never exceeds the loss itself if losses cannot be negative. On separable data,
/// where the infimum of the logistic loss is 0, the result is a loss near 0 and a gap of that size.
[[nodiscard]] BestFit best_in_hindsight(const Loss& loss, const FeatureRows& examples,
                                        const Region& region);

}  // namespace caucus
