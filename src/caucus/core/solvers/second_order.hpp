// A model learned by what its gradients say about curvature. A report (c, g) at the point w is read
// as the square loss of some example: c = (f - y)^2, g = 2 (f - y) z would give
//   z z^T = g g^T / (4c)   and   y z = z z^T w - g / 2,
// so the server can sum A = sum z z^T and b = sum y z, importance-weighted, and solve A w = b:
// ridge regression for the square loss, and for other losses a quadratic model of it around the
// points where gradients were taken. Nothing is proved for weights 1/P_i, the cap on c, few solver
// steps or other losses; docs/adaptive.md has the measurements.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "caucus/core/base/result.hpp"
#include "caucus/core/base/state_io.hpp"
#include "caucus/core/base/vector.hpp"
#include "caucus/core/features/space.hpp"
#include "caucus/core/solvers/symmetric_matrix.hpp"

namespace caucus {

class SecondOrderModel {
 public:
  /// known_size: |z|^2 of every example where that is known (random features and the square loss),
  /// else 0. It matters for reports that are means: they show less of it.
  explicit SecondOrderModel(std::size_t dimension, double known_size = 0.0);

  /// One report taken at w, a mean over so many examples; weight = 1 / P_i. What says nothing (c <=
  /// 0, g = 0, not finite) is ignored.
  void observe(double loss, std::span<const float> gradient, double weight,
               std::span<const float> w, std::size_t examples = 1) {
    observe(loss, gradient, weight, dot(gradient, w), examples);
  }
  /// The same for a w of which only <g, w> is known.
  void observe(double loss, std::span<const float> gradient, double weight, double slope,
               std::size_t examples);

  /// So many solver steps from where the last call ended, then into the region.
  void solve(const Region& region, std::span<float> w, int steps = 2);
  /// Reports since the last solve().
  [[nodiscard]] std::size_t unsolved() const { return unsolved_; }

  /// Drifting data, before the reports of a round in which the model's holders had this mean loss:
  /// the past loses a share of its weight in each of `rounds`, and more in this one if the loss is
  /// larger than usual: share * (loss / usual loss)^3, at most 0.7.
  void forget(double share, std::size_t rounds, double mean_loss);

  /// What was learned so far counts this much of what it did.
  void fade(double factor);

  /// restore() is for one of the same settings, which is to be thrown away after an error.
  void save(StateWriter& to) const;
  Status restore(StateReader& from);

 private:
  [[nodiscard]] Status restore_solver(StateReader& from);
  [[nodiscard]] Status restore_observed(StateReader& from);
  void set_ridge(std::size_t examples);
  /// Once A has its size.
  void make_vectors();
  /// What was observed enters A.
  void absorb();
  /// y = (A + mu I) x
  void multiply(const double* x, double* y) const;

  /// A point x on the way to the solution of (A + mu I) x = right.
  struct Iterate {
    Iterate() = default;
    explicit Iterate(std::size_t n)
        : x(n, 0.0), residual(n, 0.0), direction(n, 0.0), image(n, 0.0) {}
    /// As the matrix gets value * I more.
    void add_to_diagonal(double value);
    void save(StateWriter& to) const;
    void restore(StateReader& from);

    std::vector<double> x;          ///< padded with zeros, as all vectors here
    std::vector<double> residual;   ///< right - (A + mu I) x
    std::vector<double> direction;  ///< of the last step
    std::vector<double> image;      ///< (A + mu I) direction
  };
  void conjugate_gradients(Iterate& at, int steps) const;
  void solve_in_ball(double radius, int steps);
  void solve_in_box(double side);

  static constexpr std::size_t kAbsorbed = 16;  ///< reports that enter A in one pass

  std::size_t d_;
  SymmetricMatrix A_;  ///< empty until the first report: most of a large set are never touched
  std::vector<double> b_;
  std::vector<double> diagonal_;  ///< of A with what is not in it yet
  Iterate at_;                    ///< the solver's point; for a ball before it is scaled back
  bool residual_is_stale_ = false;
  std::size_t solved_ = 0;               ///< rounds
  std::size_t unsolved_ = 0;             ///< reports
  AlignedVector<float> observed_;        ///< gradients that are not in A yet
  std::vector<double> factors_, sizes_;  ///< their weights, and |g|^2
  double mu_ = 0.0;                      ///< the ball's multiplier
  bool size_is_known_;
  double largest_;         ///< of |z|^2 = |g|^2 / (4c)
  double ridge_ = 0.0;     ///< on A's diagonal
  double loss_sum_ = 0.0;  ///< with gradient_sum_: what loss a gradient of this size had
  double gradient_sum_ = 0.0;
  double usual_loss_ = 0.0,
         usual_weight_ = 0.0;  ///< while forgetting: sum over rounds, and of what
};

}  // namespace caucus
