// A candidate hypothesis space F_i = { x -> <w, phi_i(x)> : w in a convex set of radius U_i }.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace caucus {

enum class SpaceKind {
  linear,     ///< phi(x) = x, optionally with a constant coordinate
  gaussian,   ///< random features of exp(-|x - v|^2 / (2 width^2))
  laplacian,  ///< random features of exp(-|x - v|_1 / width)
  cauchy,     ///< random features of prod_l 1 / (1 + (x_l - v_l)^2 / width^2)
  expert,     ///< a fixed predictor, which is selected but not trained
};

enum class Constraint {
  ball,  ///< |w|_2 <= U, as in the authors' scripts
  box,   ///< |w_k| <= U / sqrt(d), as in the paper's appendix
};

/// A mirror step on a set of your own, with the arguments w, gradient and rate.
using MirrorStep = std::function<void(std::span<float>, std::span<const float>, double)>;

/// A pre-trained model: maps the features of an example to its prediction. For classes (the
/// logistic and hinge loss) a prediction is the probability of class 1, from 0 to 1; -1 stands for
/// 0, so that a predicted class is one, too.
using ExpertFunction = std::function<float(std::span<const float>)>;

struct Space {
  SpaceKind kind = SpaceKind::linear;
  double radius = 1.0;  ///< U_i, the bound on the weights; may be infinite
  Constraint constraint = Constraint::ball;
  /// Adds a coordinate that is always 1 and, to kernels, the coordinates x / sqrt(columns of x).
  bool intercept = false;
  double width = 1.0;             ///< kernels: the larger it is, the smoother are the functions
  std::uint32_t features = 100;   ///< kernels: D random frequencies (not columns), 2D coordinates
  bool independent_base = false;  ///< kernels: separate instead of shared frequencies
  std::uint32_t expert = 0;       ///< experts: the index among the expert predictions
  ExpertFunction function = {};   ///< experts: if set, computes the prediction instead
  std::string title = {};         ///< experts: the name in results, if they have one
  /// The mirror step of a convex set of your own, which replaces that of the constraint. The set
  /// must contain 0, and regret is measured against the ball or box of this radius.
  MirrorStep own_step = {};

  [[nodiscard]] bool is_kernel() const {
    return kind == SpaceKind::gaussian || kind == SpaceKind::laplacian || kind == SpaceKind::cauchy;
  }
  /// Returns d_i, the number of weights, for x of this many features; 0 for experts.
  [[nodiscard]] std::size_t dimension(std::size_t inputs) const {
    const std::size_t own = intercept ? 1 : 0;
    if (kind == SpaceKind::linear) return inputs + own;
    return is_kernel() ? (intercept ? inputs + own : 0) + 2 * std::size_t{this->features} : 0;
  }
  /// Returns "linear U=0.1", "gaussian width=2", "expert 3" or its title, and so on.
  [[nodiscard]] std::string name() const;
};

/// Returns "linear", "gaussian", ...
std::string name_of(SpaceKind kind);

}  // namespace caucus
