#include "caucus/algorithms/baseline_settings.hpp"

#include <cmath>

#include "caucus/core/text.hpp"

namespace caucus {
namespace {

Status check_rate(const char* what, double value) {
  if (value >= 0.0 && std::isfinite(value)) return Done{};
  return usage_error(what, to_text(value), "expected a finite number of at least 0");
}

}  // namespace

Status BaselineSettings::validate() const {
  if (sampled < 1) return usage_error("--sample", "0 models", "expected at least 1");
  if (clients < 1) return usage_error("--clients", "0 clients", "expected at least 1");
  CAUCUS_CHECK(check_rate("weight rate", rates.weight_rate));
  CAUCUS_CHECK(check_rate("model rate", rates.model_rate));
  CAUCUS_CHECK(check_rate("regularization", rates.regularization));
  if (!(rates.exploration > 0.0 && rates.exploration <= 1.0)) {
    return usage_error("exploration", to_text(rates.exploration), "expected a number in (0, 1]");
  }
  return Done{};
}

}  // namespace caucus
