// The best hypothesis in hindsight: min over a space of the summed loss, with its minimiser and a
// stated gap. Regret is measured against it. It needs all data in one place, so it belongs to the
// simulation. The space is { x -> <w, z(x)> : w in a region }.
//
// Square loss: Gram statistics (GramComparator), which answer for any prefix and any region.
// Other losses: best_in_hindsight, from the rows.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "caucus/core/features/space.hpp"
#include "caucus/core/losses/loss.hpp"

namespace caucus {

/// loss - gap <= min over the region <= loss. The loss is -infinity where there is no lower bound.
struct BestFit {
  double loss = 0.0;
  double gap = 0.0;
  std::vector<double> weights;
};

/// sum (<w, z> - y)^2 = w'Aw - 2 b'w + y'y with A = sum z z', b = sum y z: O(d^2) memory, whatever
/// the number of rows, and one Gram for all regions over the same features.
///
/// Precision: products of floats are exact in double, so an entry is off by a few eps times the sum
/// of its terms' sizes, and the loss by a few eps times S = |w|'|A||w| + 2 |b|'|w| + y'y. Where the
/// fit is nearly perfect the loss is a small difference of such terms: with |z| <= 1 and |w| <= U,
/// S is about (U + Y)^2 per row, so that a mean loss of 1e-4 keeps 10 digits at U = 1 and 6 at U =
/// 100. The gap has 8 eps S added, so it shows when digits are lost: a radius that is infinite, or
/// so large that w cancels between nearly dependent features.
class GramComparator {
 public:
  explicit GramComparator(std::size_t dimension);

  void add(std::span<const float> z, double y);
  [[nodiscard]] BestFit best(const Region& region) const;
  /// The same for each region, with one eigendecomposition for all balls.
  [[nodiscard]] std::vector<BestFit> best(std::span<const Region> regions) const;
  [[nodiscard]] std::size_t dimension() const { return dimension_; }
  [[nodiscard]] std::size_t rows() const { return rows_; }

 private:
  std::size_t dimension_;
  std::size_t rows_ = 0;
  std::vector<double> A_;        ///< d x d, lower triangle; without the pending rows
  std::vector<double> b_;        ///< without the pending rows
  std::vector<double> pending_;  ///< rows that wait for a block, each with d entries
  std::vector<double> pending_y_;
  double yy_ = 0.0;
};

/// Examples as a view: y.size() rows of `dimension` features, one after the other.
struct FeatureRows {
  std::span<const float> z;
  std::size_t dimension = 0;
  std::span<const float> y;
};

/// min over the region of sum loss(<w, z>, y), by Newton steps on the region: at w the gradient and
/// the Hessian over all rows, O(n d^2), the minimum of that quadratic over the region
/// (quadratic_ball, quadratic_box), and a line search to it. A kink a|r| is smoothed to
/// a sqrt(r^2 + mu^2) with mu shrinking to 0.
///
/// Gap: for slopes s_i from the domain of the conjugate loss f*, by Fenchel's inequality,
///   loss(w) - min <= sum [f_i(v_i) + f_i*(s_i) - s_i v_i] + <g, w> + max over the region of <-g,
///   u>
/// with g = sum s_i z_i. With the slopes of the smoothed loss the brackets are a (|r| - r^2 /
/// sqrt(r^2 + mu^2)): the bound is on the true loss, and for losses without kinks it is the
/// Frank-Wolfe gap. It ends below 1e-8 of the loss, or after a limit of steps, and then says so.
///
/// Infinite radius: the gap holds against all weights up to five times as long as those returned,
/// and never exceeds the loss itself, where losses cannot be negative. So on separable data, where
/// the logistic loss comes as near to 0 as one likes, it ends with a loss near 0 and a gap of that
/// size.
[[nodiscard]] BestFit best_in_hindsight(const Loss& loss, const FeatureRows& examples,
                                        const Region& region);

/// min over c of sum loss(c, y), the yardstick "mean predictor". For the logistic loss it is n
/// times the entropy of the classes; the linear loss has no least value, so for it
/// |c| <= max(1, max |y|).
[[nodiscard]] double best_constant_loss(const Loss& loss, std::span<const float> y);

}  // namespace caucus
