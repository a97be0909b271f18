#include <algorithm>
#include <cmath>

#include "caucus/simulation/hindsight/comparator.hpp"

namespace caucus {
namespace {

/// Returns n times the entropy of the classes, which is the logistic loss of the log-odds.
double class_entropy(std::span<const float> y) {
  const auto n = static_cast<double>(y.size());
  const auto positive =
      static_cast<double>(std::ranges::count_if(y, [](float t) { return t > 0; }));
  const auto part = [&](double count) { return count > 0.0 ? count * std::log(n / count) : 0.0; };
  return part(positive) + part(n - positive);
}

/// Returns an interval that contains the best constant. For most losses it lies between the
/// targets; for the hinge loss v y = 1, and for the linear loss, which has no minimum, |v| <= 1.
double largest_constant(const Loss& loss, std::span<const float> y) {
  const bool has_margin = std::holds_alternative<HingeLoss>(loss.kind()) ||
                          std::holds_alternative<LinearLoss>(loss.kind());
  double bound = has_margin ? 1.0 : 0.0;
  for (const float t : y) bound = std::max(bound, std::abs(static_cast<double>(t)));
  return bound;
}

}  // namespace

double best_constant_loss(const Loss& loss, std::span<const float> y) {
  if (y.empty()) return 0.0;
  if (std::holds_alternative<LogisticLoss>(loss.kind())) return class_entropy(y);
  const double bound = largest_constant(loss, y);
  const auto sum = [&](const auto& term) {
    double total = 0.0;
    for (const float t : y) total += term(static_cast<double>(t));
    return total;
  };
  const auto value = [&](double c) { return sum([&](double t) { return loss.value(c, t); }); };
  // The sum of derivatives is a subgradient of a convex function, so bisection by its sign is
  // valid.
  double low = -bound;
  double high = bound;
  for (int halving = 0; halving < 64; ++halving) {
    const double middle = 0.5 * (low + high);
    const double slope = sum([&](double t) { return loss.derivative(middle, t); });
    if (slope == 0.0) return value(middle);
    (slope > 0.0 ? high : low) = middle;
  }
  return std::min(value(low), value(high));
}

}  // namespace caucus
