// Losses l(v, y) of a prediction v for the target y: value, derivative in v, and the two constants
// that the theory schedule needs. With |v| <= V and |y| <= Y,
//   largest(V, Y)  >= l(v, y)       (C_i of the paper's Lemma 2, with V = U_i b_i)
//   steepest(V, Y) >= |dl/dv|       (G_i = steepest * b_i)
// All are convex in v. To add a loss, write such a struct and add it to Loss::Kind, Loss::name()
// and parse_loss().
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

#include "caucus/result.hpp"

namespace caucus {

namespace detail {

inline double sign(double x) { return static_cast<double>(x > 0.0) - static_cast<double>(x < 0.0); }

/// ln(1 + e^x) without overflow.
inline double softplus(double x) {
  return x > 0.0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
}

/// 1 / (1 + e^-x) without overflow.
inline double sigmoid(double x) {
  if (x >= 0.0) return 1.0 / (1.0 + std::exp(-x));
  const double e = std::exp(x);
  return e / (1.0 + e);
}

}  // namespace detail

struct SquareLoss {  ///< (v - y)^2
  static double value(double v, double y) { return (v - y) * (v - y); }
  static double derivative(double v, double y) { return 2.0 * (v - y); }
  static double largest(double V, double Y) { return (V + Y) * (V + Y); }
  static double steepest(double V, double Y) { return 2.0 * (V + Y); }
};

struct AbsoluteLoss {  ///< |v - y|; derivative 0 at the kink
  static double value(double v, double y) { return std::abs(v - y); }
  static double derivative(double v, double y) { return detail::sign(v - y); }
  static double largest(double V, double Y) { return V + Y; }
  static double steepest(double, double) { return 1.0; }
};

struct HuberLoss {  ///< (v - y)^2 / 2 up to |v - y| = delta, then delta (|v - y| - delta / 2)
  double delta = 1.0;
  [[nodiscard]] double value(double v, double y) const {
    const double r = std::abs(v - y);
    return r <= delta ? 0.5 * r * r : delta * (r - 0.5 * delta);
  }
  [[nodiscard]] double derivative(double v, double y) const {
    return std::clamp(v - y, -delta, delta);
  }
  [[nodiscard]] double largest(double V, double Y) const { return value(V + Y, 0.0); }
  [[nodiscard]] double steepest(double V, double Y) const { return std::min(delta, V + Y); }
};

struct LogisticLoss {  ///< ln(1 + exp(-v y)), y in {-1, 1}
  static double value(double v, double y) { return detail::softplus(-v * y); }
  static double derivative(double v, double y) { return -y * detail::sigmoid(-v * y); }
  static double largest(double V, double Y) { return detail::softplus(V * Y); }
  static double steepest(double V, double Y) { return Y * detail::sigmoid(V * Y); }
};

struct HingeLoss {  ///< max(0, 1 - v y), y in {-1, 1}; derivative 0 at the kink
  static double value(double v, double y) { return std::max(0.0, 1.0 - v * y); }
  static double derivative(double v, double y) { return v * y < 1.0 ? -y : 0.0; }
  static double largest(double V, double Y) { return 1.0 + V * Y; }
  static double steepest(double, double Y) { return Y; }
};

struct PinballLoss {  ///< tau (y - v) where v < y, (1 - tau) (v - y) elsewhere
  double tau = 0.5;
  [[nodiscard]] double value(double v, double y) const {
    return v < y ? tau * (y - v) : (1.0 - tau) * (v - y);
  }
  [[nodiscard]] double derivative(double v, double y) const {
    if (v == y) return 0.0;
    return v < y ? -tau : 1.0 - tau;
  }
  [[nodiscard]] double largest(double V, double Y) const { return steepest(V, Y) * (V + Y); }
  [[nodiscard]] double steepest(double, double) const { return std::max(tau, 1.0 - tau); }
};

struct LinearLoss {  ///< 1 - v y, the loss of the paper's second lower bound
  static double value(double v, double y) { return 1.0 - v * y; }
  static double derivative(double, double y) { return -y; }
  static double largest(double V, double Y) { return 1.0 + V * Y; }
  static double steepest(double, double Y) { return Y; }
};

/// The square loss of several outputs, one for each class: the target y is the index of a class,
/// the target of output c is 1 if y = c and 0 otherwise, and the loss is the sum over the outputs,
/// which for probabilities is the Brier score. The functions are those of one output; the last two
/// also hold for the sum, if |v| and |y| <= 1 are norms of the vectors.
struct ClassesLoss : SquareLoss {
  std::size_t classes = 0;  ///< C; 0 if the data are to tell it
};

/// Whether the targets of a loss are classes, -1 or 1.
template <class L>
inline constexpr bool kOfClasses = std::is_same_v<L, LogisticLoss> || std::is_same_v<L, HingeLoss>;

/// Any of the losses, chosen once by name.
class Loss {
 public:
  using Kind = std::variant<SquareLoss, AbsoluteLoss, HuberLoss, LogisticLoss, HingeLoss,
                            PinballLoss, LinearLoss, ClassesLoss>;
  Loss() = default;
  Loss(Kind kind) : kind_(kind) {}  // NOLINT(google-explicit-constructor): a kind is a loss

  [[nodiscard]] double value(double v, double y) const {
    return std::visit([&](const auto& loss) { return loss.value(v, y); }, kind_);
  }
  [[nodiscard]] double derivative(double v, double y) const {
    return std::visit([&](const auto& loss) { return loss.derivative(v, y); }, kind_);
  }
  struct Point {
    double value, derivative;
  };
  [[nodiscard]] Point value_and_derivative(double v, double y) const {
    return std::visit(
        [&](const auto& loss) -> Point {
          return {loss.value(v, y), loss.derivative(v, y)};
        },
        kind_);
  }
  /// Calls work(loss) with the concrete type, so that a loop over examples selects it once.
  template <class Work>
  void with_kind(Work&& work) const {
    std::visit(work, kind_);
  }
  [[nodiscard]] double largest(double V, double Y) const {
    return std::visit([&](const auto& loss) { return loss.largest(V, Y); }, kind_);
  }
  [[nodiscard]] double steepest(double V, double Y) const {
    return std::visit([&](const auto& loss) { return loss.steepest(V, Y); }, kind_);
  }
  /// Returns true for logistic and hinge, whose targets are classes, -1 or 1.
  [[nodiscard]] bool is_classification() const;
  /// Returns the prediction v of a pre-trained model that makes this forecast: of a class it
  /// forecasts the probability of 1, clipped to [0.01, 0.99] for the logistic loss, else v itself.
  [[nodiscard]] double prediction_of(double forecast) const;
  /// Returns the number of classes if each has an output of its own, else 0.
  [[nodiscard]] std::size_t classes() const {
    const auto* of_classes = std::get_if<ClassesLoss>(&kind_);
    return of_classes != nullptr ? of_classes->classes : 0;
  }
  [[nodiscard]] bool has_classes() const { return std::holds_alternative<ClassesLoss>(kind_); }
  /// Returns the number of outputs of a model.
  [[nodiscard]] std::size_t outputs() const { return std::max<std::size_t>(1, classes()); }
  /// Returns whether the loss is the square loss of each output.
  [[nodiscard]] bool is_square() const {
    return std::holds_alternative<SquareLoss>(kind_) || has_classes();
  }
  [[nodiscard]] const Kind& kind() const { return kind_; }
  /// Returns the text that parse_loss() accepts: "square", "huber:0.5", ...
  [[nodiscard]] std::string name() const;

 private:
  Kind kind_ = SquareLoss{};
};

/// The most classes that a loss can have.
inline constexpr std::size_t kMostClasses = 1000;

/// Parses square, absolute, huber[:delta], logistic, hinge, pinball[:tau], linear or
/// classes[:number].
Result<Loss> parse_loss(std::string_view text);

}  // namespace caucus
