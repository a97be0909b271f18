#include "caucus/simulation/options.hpp"

#include <algorithm>
#include <cmath>

#include "caucus/algorithms/any_algorithm.hpp"
#include "caucus/core/base/text.hpp"
#include "caucus/engine/problem.hpp"

namespace caucus {
namespace {

Status positive(const char* name, double value) {
  if (value > 0.0 && std::isfinite(value)) return Done{};
  return usage_error(name, to_text(value), "expected a positive number");
}

}  // namespace

Status ExperimentOptions::validate() const {
  if (spaces.empty()) return usage_error("spaces", "there are none", "expected at least one");
  if (algorithms.empty())
    return usage_error("algorithms", "none is named", "expected at least one");
  for (const std::string& name : algorithms) {
    const auto& known = algorithm_names();
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      std::string list;
      for (const std::string& k : known) list += (list.empty() ? "" : " or ") + k;
      return usage_error("algorithms", "'" + name + "' is not known", "expected " + list);
    }
    if (needs_one_space(name) && spaces.size() != 1) {
      return usage_error(
          "algorithms",
          name + " learns in one space, " + std::to_string(spaces.size()) + " are given",
          "expected one space (K = 1)");
    }
    if (std::count(algorithms.begin(), algorithms.end(), name) > 1) {
      return usage_error("algorithms", "'" + name + "' is named twice", "expected it once");
    }
  }
  if (!(dropout >= 0.0 && dropout < 1.0)) {
    return usage_error("dropout", to_text(dropout), "expected a number in [0, 1)");
  }
  CAUCUS_CHECK(LearningOptions::validate());
  if (regret && loss.has_classes()) {
    return usage_error("regret", "it is not computed for classes",
                       "expected a loss with one output, such as logistic");
  }
  if (repeats == 0) return usage_error("repeats", "0", "expected at least 1");
  if (repeats >= (1U << 24U))
    return usage_error("repeats", std::to_string(repeats), "expected less than 2^24");
  CAUCUS_CHECK(positive("gradient_scale", constants.gradient_scale));
  CAUCUS_CHECK(positive("weight_rate", rates.weight_rate));
  CAUCUS_CHECK(positive("model_rate", rates.model_rate));
  if (!(rates.regularization >= 0.0) || !std::isfinite(rates.regularization)) {
    return usage_error("regularization", to_text(rates.regularization),
                       "expected a number that is not negative");
  }
  if (!(rates.exploration > 0.0 && rates.exploration <= 1.0)) {
    return usage_error("exploration", to_text(rates.exploration),
                       "expected a number above 0 and at most 1");
  }
  CAUCUS_CHECK(positive("eta", constants.eta));
  CAUCUS_CHECK(positive("lambda", constants.lambda));
  if (constants.feature_bound) CAUCUS_CHECK(positive("feature_bound", *constants.feature_bound));
  if (constants.label_bound) CAUCUS_CHECK(positive("label_bound", *constants.label_bound));
  if (constants.loss_bound) CAUCUS_CHECK(positive("loss_bound", *constants.loss_bound));
  return Done{};
}

}  // namespace caucus
