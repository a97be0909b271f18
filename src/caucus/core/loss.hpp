// Losses l(v, y) of a forecast v for the target y: value, derivative in v, and the two constants
// that the theory schedule needs. With |v| <= V and |y| <= Y,
//   largest(V, Y)  >= l(v, y)       (C_i of the paper's Lemma 2, with V = U_i b_i)
//   steepest(V, Y) >= |dl/dv|       (G_i = steepest * b_i)
// All are convex in v. To add one: write such a struct, add it to Loss::Kind and to parse_loss.
#pragma once

#include <string>
#include <string_view>
#include <variant>

#include "caucus/core/result.hpp"

namespace caucus {

struct SquareLoss {  ///< (v - y)^2
  static double value(double v, double y);
  static double derivative(double v, double y);
  static double largest(double V, double Y);
  static double steepest(double V, double Y);
};

struct AbsoluteLoss {  ///< |v - y|; derivative 0 at the kink
  static double value(double v, double y);
  static double derivative(double v, double y);
  static double largest(double V, double Y);
  static double steepest(double V, double Y);
};

struct HuberLoss {  ///< (v - y)^2 / 2 up to |v - y| = delta, then delta (|v - y| - delta / 2)
  double delta = 1.0;
  [[nodiscard]] double value(double v, double y) const;
  [[nodiscard]] double derivative(double v, double y) const;
  [[nodiscard]] double largest(double V, double Y) const;
  [[nodiscard]] double steepest(double V, double Y) const;
};

struct LogisticLoss {  ///< ln(1 + exp(-v y)), y in {-1, 1}
  static double value(double v, double y);
  static double derivative(double v, double y);
  static double largest(double V, double Y);
  static double steepest(double V, double Y);
};

struct HingeLoss {  ///< max(0, 1 - v y), y in {-1, 1}; derivative 0 at the kink
  static double value(double v, double y);
  static double derivative(double v, double y);
  static double largest(double V, double Y);
  static double steepest(double V, double Y);
};

struct PinballLoss {  ///< tau (y - v) where v < y, (1 - tau) (v - y) elsewhere
  double tau = 0.5;
  [[nodiscard]] double value(double v, double y) const;
  [[nodiscard]] double derivative(double v, double y) const;
  [[nodiscard]] double largest(double V, double Y) const;
  [[nodiscard]] double steepest(double V, double Y) const;
};

struct LinearLoss {  ///< 1 - v y, the loss of the paper's second lower bound
  static double value(double v, double y);
  static double derivative(double v, double y);
  static double largest(double V, double Y);
  static double steepest(double V, double Y);
};

/// Any of the losses, chosen once by name.
class Loss {
 public:
  using Kind = std::variant<SquareLoss, AbsoluteLoss, HuberLoss, LogisticLoss, HingeLoss,
                            PinballLoss, LinearLoss>;
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
  [[nodiscard]] double largest(double V, double Y) const {
    return std::visit([&](const auto& loss) { return loss.largest(V, Y); }, kind_);
  }
  [[nodiscard]] double steepest(double V, double Y) const {
    return std::visit([&](const auto& loss) { return loss.steepest(V, Y); }, kind_);
  }
  /// Logistic and hinge: targets are classes, -1 or 1.
  [[nodiscard]] bool is_classification() const;
  [[nodiscard]] const Kind& kind() const { return kind_; }
  /// The text that parse_loss reads back: "square", "huber:0.5", ...
  [[nodiscard]] std::string name() const;

 private:
  Kind kind_ = SquareLoss{};
};

/// square | absolute | huber[:delta] | logistic | hinge | pinball[:tau] | linear
Result<Loss> parse_loss(std::string_view text);

}  // namespace caucus
