// A model learned from the curvature that its gradients imply. A report (c, g) at the point w is
// interpreted as the square loss of an example: c = (f - y)^2 and g = 2 (f - y) z give
//   z z^T = g g^T / (4c)   and   y z = z z^T w - g / 2,
// so the server sums A = sum z z^T and b = sum y z with importance weights and solves A w = b. This
// is ridge regression for the square loss, and a quadratic model of other losses around the points
// where the gradients were taken. Nothing is proved for weights 1/P_i, the cap on c, few solver
// steps or other losses; docs/adaptive.md has the measurements.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "caucus/core/base/state_io.hpp"
#include "caucus/core/base/vector.hpp"
#include "caucus/core/solvers/symmetric_matrix.hpp"
#include "caucus/result.hpp"
#include "caucus/space.hpp"

namespace caucus {

class SecondOrderModel {
 public:
  /// known_size: |z|^2 of every example if it is known (random features and the square loss),
  /// otherwise 0. It is used for reports that are means, which show only a part of |z|^2.
  explicit SecondOrderModel(std::size_t dimension, double known_size = 0.0);

  /// Adds a report taken at w, which is a mean over `examples`; weight = 1 / P_i. Reports without
  /// information (c <= 0, g = 0, not finite) are ignored.
  void observe(double loss, std::span<const float> gradient, double weight,
               std::span<const float> w, std::size_t examples = 1) {
    observe(loss, gradient, weight, dot(gradient, w), examples);
  }
  /// Adds a report of which only slope = <g, w> is known instead of w.
  void observe(double loss, std::span<const float> gradient, double weight, double slope,
               std::size_t examples);

  /// Takes `steps` solver steps from the point of the last call and projects onto the region.
  void solve(const Region& region, std::span<float> w, int steps = 2);
  /// The number of reports since the last solve().
  [[nodiscard]] std::size_t unsolved() const { return unsolved_; }

  /// For drifting data: call before the reports of a round in which the clients that held the model
  /// had this mean loss. The past loses a share of its weight in each of `rounds`, and in this
  /// round share * (loss / usual loss)^3, at most 0.7, if the loss is larger than usual.
  void forget(double share, std::size_t rounds, double mean_loss);

  /// Multiplies the weight of everything learned so far by `factor`.
  void fade(double factor);

  /// restore() needs an object with the same settings; discard it after an error.
  void save(StateWriter& to) const;
  Status restore(StateReader& from);

 private:
  [[nodiscard]] Status restore_solver(StateReader& from);
  [[nodiscard]] Status restore_observed(StateReader& from);
  void set_ridge(std::size_t examples);
  /// Allocates the vectors after A.
  void make_vectors();
  /// Adds the waiting reports to A.
  void absorb();
  /// y = (A + mu I) x
  void multiply(const double* x, double* y) const;

  /// An approximate solution x of (A + mu I) x = right.
  struct Iterate {
    Iterate() = default;
    explicit Iterate(std::size_t n)
        : x(n, 0.0), residual(n, 0.0), direction(n, 0.0), image(n, 0.0) {}
    /// Updates residual and image after value * I was added to the matrix.
    void add_to_diagonal(double value);
    void save(StateWriter& to) const;
    void restore(StateReader& from);

    std::vector<double> x;          ///< padded with zeros, like all vectors here
    std::vector<double> residual;   ///< right - (A + mu I) x
    std::vector<double> direction;  ///< of the last step
    std::vector<double> image;      ///< (A + mu I) direction
  };
  void conjugate_gradients(Iterate& at, int steps) const;
  void solve_in_ball(double radius, int steps);
  void solve_in_box(double side);

  static constexpr std::size_t kAbsorbed = 16;  ///< reports that are added to A in one pass

  std::size_t d_;
  SymmetricMatrix A_;  ///< empty until the first report, since most models of a large set get none
  std::vector<double> b_;
  std::vector<double> diagonal_;  ///< of A plus the waiting reports
  Iterate at_;                    ///< for a ball before it is scaled to the radius
  bool residual_is_stale_ = false;
  std::size_t solved_ = 0;               ///< number of solve() calls
  std::size_t unsolved_ = 0;             ///< reports since the last solve()
  AlignedVector<float> observed_;        ///< gradients of the waiting reports
  std::vector<double> factors_, sizes_;  ///< the weights and |g|^2 of the waiting reports
  double mu_ = 0.0;                      ///< the ball's multiplier
  bool size_is_known_;
  double largest_;         ///< the largest |z|^2 = |g|^2 / (4c)
  double ridge_ = 0.0;     ///< on A's diagonal
  double loss_sum_ = 0.0;  ///< loss_sum_ / gradient_sum_ is the usual c / |g|^2
  double gradient_sum_ = 0.0;
  double usual_loss_ = 0.0,
         usual_weight_ = 0.0;  ///< with forgetting: weighted sum of losses, and of weights
};

}  // namespace caucus
