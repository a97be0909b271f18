#include "caucus/core/loss.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "caucus/core/text.hpp"

namespace caucus {
namespace {

double sign(double x) { return static_cast<double>(x > 0.0) - static_cast<double>(x < 0.0); }

/// ln(1 + e^x) without overflow.
double softplus(double x) {
  return x > 0.0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
}

/// 1 / (1 + e^-x) without overflow.
double sigmoid(double x) {
  if (x >= 0.0) return 1.0 / (1.0 + std::exp(-x));
  const double e = std::exp(x);
  return e / (1.0 + e);
}

}  // namespace

double SquareLoss::value(double v, double y) { return (v - y) * (v - y); }
double SquareLoss::derivative(double v, double y) { return 2.0 * (v - y); }
double SquareLoss::largest(double V, double Y) { return (V + Y) * (V + Y); }
double SquareLoss::steepest(double V, double Y) { return 2.0 * (V + Y); }

double AbsoluteLoss::value(double v, double y) { return std::abs(v - y); }
double AbsoluteLoss::derivative(double v, double y) { return sign(v - y); }
double AbsoluteLoss::largest(double V, double Y) { return V + Y; }
double AbsoluteLoss::steepest(double, double) { return 1.0; }

double HuberLoss::value(double v, double y) const {
  const double r = std::abs(v - y);
  return r <= delta ? 0.5 * r * r : delta * (r - 0.5 * delta);
}
double HuberLoss::derivative(double v, double y) const { return std::clamp(v - y, -delta, delta); }
double HuberLoss::largest(double V, double Y) const { return value(V + Y, 0.0); }
double HuberLoss::steepest(double V, double Y) const { return std::min(delta, V + Y); }

double LogisticLoss::value(double v, double y) { return softplus(-v * y); }
double LogisticLoss::derivative(double v, double y) { return -y * sigmoid(-v * y); }
double LogisticLoss::largest(double V, double Y) { return softplus(V * Y); }
double LogisticLoss::steepest(double V, double Y) { return Y * sigmoid(V * Y); }

double HingeLoss::value(double v, double y) { return std::max(0.0, 1.0 - v * y); }
double HingeLoss::derivative(double v, double y) { return v * y < 1.0 ? -y : 0.0; }
double HingeLoss::largest(double V, double Y) { return 1.0 + V * Y; }
double HingeLoss::steepest(double, double Y) { return Y; }

double PinballLoss::value(double v, double y) const {
  return v < y ? tau * (y - v) : (1.0 - tau) * (v - y);
}
double PinballLoss::derivative(double v, double y) const {
  if (v == y) return 0.0;
  return v < y ? -tau : 1.0 - tau;
}
double PinballLoss::largest(double V, double Y) const { return steepest(V, Y) * (V + Y); }
double PinballLoss::steepest(double, double) const { return std::max(tau, 1.0 - tau); }

double LinearLoss::value(double v, double y) { return 1.0 - v * y; }
double LinearLoss::derivative(double, double y) { return -y; }
double LinearLoss::largest(double V, double Y) { return 1.0 + V * Y; }
double LinearLoss::steepest(double, double Y) { return Y; }

bool Loss::is_classification() const {
  return std::holds_alternative<LogisticLoss>(kind_) || std::holds_alternative<HingeLoss>(kind_);
}

std::string Loss::name() const {
  struct Name {
    std::string operator()(const SquareLoss&) const { return "square"; }
    std::string operator()(const AbsoluteLoss&) const { return "absolute"; }
    std::string operator()(const HuberLoss& h) const {
      return h.delta == 1.0 ? "huber" : "huber:" + to_text(h.delta);
    }
    std::string operator()(const LogisticLoss&) const { return "logistic"; }
    std::string operator()(const HingeLoss&) const { return "hinge"; }
    std::string operator()(const PinballLoss& p) const {
      return p.tau == 0.5 ? "pinball" : "pinball:" + to_text(p.tau);
    }
    std::string operator()(const LinearLoss&) const { return "linear"; }
  };
  return std::visit(Name{}, kind_);
}

Result<Loss> parse_loss(std::string_view text) {
  const auto colon = text.find(':');
  const auto name = text.substr(0, colon);
  const auto unknown = [&](const char* expected) {
    return usage_error("--loss", "'" + std::string(text) + "' is not a loss", expected);
  };
  double parameter = name == "huber" ? 1.0 : 0.5;
  if (colon != std::string_view::npos) {
    const char* first = text.data() + colon + 1;
    const char* last = text.data() + text.size();
    const auto [end, code] = std::from_chars(first, last, parameter);
    if (code != std::errc{} || end != last || !std::isfinite(parameter)) {
      return unknown("expected a number after the colon, as in huber:1 or pinball:0.9");
    }
  }
  if (name == "huber") {
    if (parameter <= 0.0) return unknown("the width of huber must be positive");
    return Loss{HuberLoss{parameter}};
  }
  if (name == "pinball") {
    if (parameter <= 0.0 || parameter >= 1.0) return unknown("the level of pinball lies in (0, 1)");
    return Loss{PinballLoss{parameter}};
  }
  if (colon == std::string_view::npos) {
    if (name == "square") return Loss{SquareLoss{}};
    if (name == "absolute") return Loss{AbsoluteLoss{}};
    if (name == "logistic") return Loss{LogisticLoss{}};
    if (name == "hinge") return Loss{HingeLoss{}};
    if (name == "linear") return Loss{LinearLoss{}};
  }
  return unknown("expected square, absolute, huber, logistic, hinge, pinball or linear");
}

}  // namespace caucus
