#include "caucus/federation/federation_settings.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "caucus/algorithms/fomd_oms.hpp"
#include "caucus/core/features/validate_space.hpp"
#include "caucus/core/losses/constants.hpp"
#include "caucus/data/columns.hpp"
#include "caucus/engine/participant/message_size.hpp"
#include "caucus/engine/problem.hpp"

namespace caucus {
namespace {

// The schedule's bounds tune its rates and need not hold for the examples: they are used last.

Result<double> known_target_bound(const FederationSettings& settings,
                                  const std::optional<Scaling>& scaling) {
  if (settings.plan.loss.has_classes()) return 1.0;
  if (settings.max_abs_target) return *settings.max_abs_target;
  if (settings.plan.loss.is_classification()) return 1.0;
  if (scaling) return target_bound(*scaling);
  if (settings.problem.constants.label_bound) return *settings.problem.constants.label_bound;
  return usage_error(
      "max_abs_target", "there is no bound on the true values",
      "reports are checked by it; expected a number here, or the ranges of the columns");
}

/// Bounds |x|, with 1 for the intercept if there is one.
Result<double> known_linear_bound(const FederationSettings& settings,
                                  const std::optional<Scaling>& scaling, bool intercept) {
  if (settings.max_feature_norm) {
    return std::hypot(*settings.max_feature_norm, intercept ? 1.0 : 0.0);
  }
  if (scaling) return linear_feature_bound(*scaling, intercept);
  if (settings.problem.constants.feature_bound) return *settings.problem.constants.feature_bound;
  return usage_error(
      "max_feature_norm", "there is no bound on the features",
      "reports are checked by it; expected a number here, or the ranges of the columns");
}

/// Refuses plans whose messages would be too large.
Status check_messages(const FederationSettings& settings) {
  const std::size_t sample_size = settings.problem.resolved_sample_size();
  const auto refuse = [&](const char* what, std::size_t bytes, std::size_t most) {
    return usage_error("sample_size",
                       std::string(what) + " of up to " + std::to_string(bytes >> 20U) + " MB",
                       "expected at most " + std::to_string(most >> 20U) +
                           ": fewer models or features, or a shorter label_delay");
  };
  const std::size_t down = largest_assignment(settings.plan, sample_size);
  if (down > kMostAssignmentBytes) return refuse("assignments", down, kMostAssignmentBytes);
  const std::size_t up = largest_report(settings.plan, sample_size);
  if (up > kMostReportBytes) return refuse("reports", up, kMostReportBytes);
  if (frequency_bytes(settings.plan) > kMostFrequencyBytes) {
    return usage_error("spaces", "frequencies of more than 1 GB at every client",
                       "expected fewer features, or fewer numbers per example");
  }
  return Done{};
}

}  // namespace

Status FederationSettings::validate() const {
  if (clients.empty()) {
    return usage_error("clients", "there are none", "expected the names of all clients");
  }
  if (std::set(clients.begin(), clients.end()).size() != clients.size()) {
    return usage_error("clients", "a name occurs twice", "expected every name once");
  }
  if (quorum > clients.size()) {
    return usage_error(
        "quorum", std::to_string(quorum) + " of " + std::to_string(clients.size()) + " clients",
        "expected at most as many as there are");
  }
  constexpr std::size_t kLongestDelay = 1000;  // each batch of it takes memory and snapshot
  if (plan.label_delay > kLongestDelay) {
    return usage_error("label_delay", std::to_string(plan.label_delay),
                       "expected at most " + std::to_string(kLongestDelay));
  }
  if (quorum > 0 && quorum < clients.size() && !deadline) {
    return usage_error("quorum", "has an effect only at the deadline of a batch",
                       "expected a deadline too");
  }
  if (deadline && deadline->count() <= 0) {
    return usage_error("deadline", std::to_string(deadline->count()),
                       "expected a positive number of milliseconds");
  }
  const std::size_t sample_size = problem.resolved_sample_size();
  CAUCUS_CHECK(validate_sample_size(sample_size, plan.spaces.size()));
  if (plan.statistics && problem.mode == Mode::asynchronous && (deadline || quorum > 0)) {
    return usage_error("mode", "a quorum or a deadline is given, but nobody waits for a batch",
                       "expected them with the synchronous mode");
  }
  const bool known = plan.features + plan.experts > 0;
  const InputShape any{1, std::numeric_limits<std::size_t>::max()};
  for (const Space& space : plan.spaces) {
    CAUCUS_CHECK(validate_space(space, known ? InputShape{plan.features, plan.experts} : any));
  }
  return check_messages(*this);
}

Result<ExampleBounds> example_bounds(const FederationSettings& settings) {
  CAUCUS_TRY(const auto scaling, known_scaling(settings.plan.columns));
  ExampleBounds bounds;
  CAUCUS_TRY(bounds.target, known_target_bound(settings, scaling));
  bounds.examples = static_cast<std::uint32_t>(most_examples_per_part(settings.plan));
  if (settings.plan.statistics) {
    bounds.sums = upload_rule(settings.problem, settings.plan.features, true);
  }
  for (const Space& space : settings.plan.spaces) {
    double bound = 1.0;  // random features
    if (space.kind == SpaceKind::linear) {
      CAUCUS_TRY(bound, known_linear_bound(settings, scaling, space.intercept));
    } else if (space.is_kernel() && space.intercept) {  // and x / sqrt(its size), and 1
      CAUCUS_TRY(const double norm, known_linear_bound(settings, scaling, false));
      const auto inputs = static_cast<double>(std::max<std::size_t>(1, settings.plan.features));
      bound = std::sqrt(2.0 + norm * norm / inputs);
    } else if (space.kind == SpaceKind::expert) {
      const bool known = scaling && space.expert < scaling->expert_columns.size();
      bound = known ? largest_in(scaling->expert_interval(space.expert)) : bounds.target;
      const Loss& loss = settings.plan.loss;
      if (loss.is_classification()) bound = loss.prediction_of(1.0);
    }
    bounds.features.push_back(bound);
  }
  return bounds;
}

Result<std::vector<SpaceConstants>> space_constants(const FederationSettings& settings) {
  if (is_adaptive(settings.problem.schedule.kind)) {
    return std::vector<SpaceConstants>(settings.plan.spaces.size());
  }
  CAUCUS_TRY(const auto scaling, known_scaling(settings.plan.columns));
  if (scaling) return make_constants(*scaling, settings.problem);
  // Without bounds of its own the schedule uses those of the reports.
  CAUCUS_TRY(const ExampleBounds bounds, example_bounds(settings));
  const ScheduleConstants& given = settings.problem.constants;
  const BoundOptions options{given.label_bound.value_or(bounds.target), given.gradient_scale,
                             given.loss_bound};
  std::vector<SpaceConstants> constants;
  for (std::size_t i = 0; i < settings.plan.spaces.size(); ++i) {
    const Space& space = settings.plan.spaces[i];
    const bool is_given = given.feature_bound && space.kind != SpaceKind::expert;
    constants.push_back(constants_of(
        space, settings.plan.loss, is_given ? *given.feature_bound : bounds.features[i], options));
  }
  return constants;
}

}  // namespace caucus
