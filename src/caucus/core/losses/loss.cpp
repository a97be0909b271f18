#include "caucus/loss.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "caucus/core/base/text.hpp"

namespace caucus {
bool Loss::is_classification() const {
  return std::visit([](const auto& loss) { return kOfClasses<std::decay_t<decltype(loss)>>; },
                    kind_);
}

double Loss::prediction_of(double forecast) const {
  // A model that says 0 or 1 is not sure of it: an unlimited loss would tell nothing but that it
  // was wrong once.
  constexpr double kLeast = 0.01;
  if (std::holds_alternative<LogisticLoss>(kind_)) {
    const double p = std::clamp(forecast, kLeast, 1.0 - kLeast);
    return std::log(p / (1.0 - p));
  }
  if (std::holds_alternative<HingeLoss>(kind_)) return 2.0 * std::clamp(forecast, 0.0, 1.0) - 1.0;
  return forecast;
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
    std::string operator()(const ClassesLoss& c) const {
      return c.classes == 0 ? "classes" : "classes:" + std::to_string(c.classes);
    }
  };
  return std::visit(Name{}, kind_);
}

Result<Loss> parse_loss(std::string_view text) {
  const auto colon = text.find(':');
  const auto name = text.substr(0, colon);
  const auto unknown = [&](const char* expected) {
    return usage_error("loss", "'" + std::string(text) + "' is not a loss", expected);
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
  if (name == "classes") {
    if (colon == std::string_view::npos) return Loss{ClassesLoss{}};
    const bool whole = parameter == std::floor(parameter);
    if (!whole || parameter < 2.0 || parameter > static_cast<double>(kMostClasses)) {
      return unknown("the number of classes lies between 2 and 1000");
    }
    return Loss{ClassesLoss{{}, static_cast<std::size_t>(parameter)}};
  }
  if (colon == std::string_view::npos) {
    if (name == "square") return Loss{SquareLoss{}};
    if (name == "absolute") return Loss{AbsoluteLoss{}};
    if (name == "logistic") return Loss{LogisticLoss{}};
    if (name == "hinge") return Loss{HingeLoss{}};
    if (name == "linear") return Loss{LinearLoss{}};
  }
  return unknown("expected square, absolute, huber, logistic, hinge, pinball, linear or classes");
}

}  // namespace caucus
