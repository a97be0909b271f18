#include "caucus/engine/problem.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "caucus/algorithms/any_algorithm.hpp"
#include "caucus/core/base/text.hpp"
#include "caucus/core/losses/constants.hpp"
#include "caucus/core/statistics/row_sums.hpp"
#include "caucus/data/columns.hpp"

namespace caucus {
namespace {

double feature_bound(const Scaling& scaling, const Space& space, const ScheduleOptions& schedule) {
  if (space.kind == SpaceKind::expert) {
    const bool known = space.expert < scaling.expert_columns.size();
    return known ? largest_in(scaling.expert_interval(space.expert)) : 1.0;
  }
  if (schedule.feature_bound) return *schedule.feature_bound;
  if (!space.is_kernel()) return linear_feature_bound(scaling, space.intercept);
  if (!space.intercept) return 1.0;
  // The random features, x / sqrt(columns), and 1.
  const auto columns = static_cast<double>(scaling.feature_columns.size());
  return std::hypot(1.0, linear_feature_bound(scaling, false) / std::sqrt(columns), 1.0);
}

}  // namespace

Status validate_learning(const LearningOptions& options) {
  const double share = options.schedule.fixed_share;
  if (!(share >= 0.0 && share < 1.0)) {
    return usage_error("fixed_share", to_text(share), "expected a number in [0, 1)");
  }
  if (!(options.growth > 0.0 && options.growth <= 1.0)) {
    return usage_error("growth", to_text(options.growth), "expected a number above 0, at most 1");
  }
  for (const Space& space : options.spaces) {
    if (std::isinf(space.radius) && std::holds_alternative<LinearLoss>(options.loss.kind())) {
      return usage_error("loss", "the linear loss has no minimum in '" + space.name() + "'",
                         "expected finite radii with the linear loss");
    }
  }
  return Done{};
}

Result<std::optional<Scaling>> known_scaling(const SharedPlan& plan) {
  if (!plan.columns || !plan.columns->ranges) {
    if (plan.columns && (plan.columns->feature_range || plan.columns->label_range)) {
      return usage_error("data.scale_from",
                         "columns are to be scaled, but their ranges are not known",
                         "expected a ranges file, as `caucus data info` makes it");
    }
    return std::optional<Scaling>();
  }
  const Ranges& ranges = *plan.columns->ranges;
  CAUCUS_TRY(Scaling scaling,
             assign_columns(*plan.columns, {ranges.names, ranges.columns()}, "data.scale_from"));
  scaling.feature_range = plan.columns->feature_range;
  scaling.label_range = plan.columns->label_range;
  scaling.minimum = ranges.minimum;
  scaling.maximum = ranges.maximum;
  return std::optional(std::move(scaling));
}

double largest_in(const Interval& interval) {
  return std::max(std::abs(interval.first), std::abs(interval.second));
}

double linear_feature_bound(const Scaling& scaling, bool intercept) {
  double sum = intercept ? 1.0 : 0.0;
  for (std::size_t k = 0; k < scaling.feature_columns.size(); ++k) {
    const double largest = largest_in(scaling.feature_interval(k));
    sum += largest * largest;
  }
  return std::sqrt(sum);
}

double target_bound(const Scaling& scaling) { return largest_in(scaling.target_interval()); }

bool learns_from_sums(const std::string& algorithm, const LearningOptions& options,
                      std::size_t features, std::size_t clients) {
  constexpr std::size_t kLargestDimension = 500;
  constexpr double kBudget = 2e9;
  if (options.schedule.kind != ScheduleKind::adaptive || is_baseline(algorithm)) return false;
  if (std::holds_alternative<LinearLoss>(options.loss.kind())) return false;
  double numbers = 0.0;  // in all sums
  for (const Space& space : options.spaces) {
    const std::size_t dimension = space.dimension(features);
    if (space.own_step || dimension > kLargestDimension) return false;
    if (dimension > 0) numbers += static_cast<double>(triangle_size(dimension + 1));
  }
  if (numbers == 0.0) return false;
  const double copies = is_cooperative(algorithm) ? 1.0 : static_cast<double>(clients);
  return copies * numbers * sizeof(double) <= kBudget;
}

std::size_t held_models(const LearningOptions& options, bool from_sums) {
  const std::size_t J = options.resolved_sample_size();
  if (!from_sums || !reference_space(options.spaces, options.loss)) return J;
  return std::min(J, options.spaces.size() - 1) + 1;
}

UploadRule upload_rule(const LearningOptions& options, std::size_t features, bool from_sums) {
  if (!from_sums) return UploadRule{std::max<std::size_t>(1, options.rounds_per_upload)};
  UploadRule rule{options.rounds_per_upload, options.growth,
                  std::max<std::size_t>(options.min_batch, 1),
                  options.personal && options.mode == Mode::asynchronous};
  if (options.min_batch == 0) {
    hide_examples(rule, options.spaces, options.loss, features, held_models(options, true));
  }
  if (const double share = options.schedule.fixed_share; share > 0.0) {
    // With forgetting the weight of the past is bounded, so batches need not grow for ever.
    rule.longest = static_cast<std::size_t>(
        std::min(options.growth / share, static_cast<double>(rule.longest)));
  }
  return rule;
}

RunLength run_length(std::span<const std::size_t> rounds, const UploadRule& uploads) {
  const auto batches = [&](std::size_t count) {
    if (uploads.rounds > 0) return (count + uploads.rounds - 1) / uploads.rounds;
    std::size_t number = 0;
    for (std::size_t end = 0; end < count; ++number) {
      end = uploads.end_of(end, end + uploads.length_after(end), count);
    }
    return number;
  };
  RunLength length{rounds.size(), 0, 0, 0};
  for (const std::size_t count : rounds) {
    length.rounds = std::max(length.rounds, count);
    length.reports += batches(count);
  }
  length.batches = batches(length.rounds);
  return length;
}

RunLength run_length(const Partition& partition, const UploadRule& uploads) {
  std::vector<std::size_t> rounds;
  for (std::size_t j = 0; j < partition.clients(); ++j) rounds.push_back(partition.rounds(j));
  return run_length(rounds, uploads);
}

std::vector<SpaceConstants> make_constants(const Scaling& scaling, const LearningOptions& options) {
  const ScheduleOptions& schedule = options.schedule;
  const double automatic = options.loss.is_classification() ? 1.0 : target_bound(scaling);
  const BoundOptions bounds{schedule.label_bound.value_or(automatic), schedule.gradient_scale,
                            schedule.loss_bound};
  std::vector<SpaceConstants> constants;
  constants.reserve(options.spaces.size());
  for (const Space& space : options.spaces) {
    constants.push_back(
        constants_of(space, options.loss, feature_bound(scaling, space, schedule), bounds));
  }
  return constants;
}

namespace {

std::size_t horizon_of(const RunLength& length, const LearningOptions& options) {
  return options.schedule.horizon == Horizon::examples ? length.reports : length.batches;
}

Result<TheorySchedule> theory_schedule(const std::string& algorithm,
                                       const std::vector<SpaceConstants>& constants,
                                       const RunLength& length, const LearningOptions& options) {
  CAUCUS_CHECK(check_horizon(length, options));
  const double clients = is_cooperative(algorithm) ? static_cast<double>(length.clients) : 1.0;
  return TheorySchedule({options.spaces.size(), options.resolved_sample_size(), clients,
                         static_cast<double>(horizon_of(length, options))},
                        constants);
}

}  // namespace

Status check_horizon(const RunLength& length, const LearningOptions& options) {
  const std::size_t K = options.spaces.size();
  const std::size_t horizon = horizon_of(length, options);
  if (options.schedule.kind != ScheduleKind::theory || horizon >= K) return Done{};
  const char* name = options.rounds_per_upload > 1 ? "R = " : "T = ";
  return usage_error(
      "theory schedule", name + std::to_string(horizon) + " is less than K = " + std::to_string(K),
      "expected at least as many uploads as spaces; use fewer spaces or another schedule");
}

Result<AnySettings> make_settings(const std::string& algorithm, std::shared_ptr<const Plan> plan,
                                  const std::vector<SpaceConstants>& constants,
                                  const RunLength& length, const LearningOptions& options,
                                  std::uint32_t repetition) {
  if (is_baseline(algorithm)) {
    CAUCUS_CHECK(validate_sample_size(options.resolved_sample_size(), options.spaces.size()));
    return AnySettings(std::make_shared<const BaselineSettings>(
        BaselineSettings{std::move(plan), options.resolved_sample_size(), length.clients,
                         options.rates, options.seed, repetition}));
  }
  const std::size_t features = plan->maps.shape().features;
  if (learns_from_sums(algorithm, options, features, length.clients)) {
    CAUCUS_CHECK(validate_sample_size(options.resolved_sample_size(), options.spaces.size()));
    const UploadRule uploads = upload_rule(options, features, true);
    if (uploads.rounds > 0 && !uploads.sends(uploads.rounds)) {
      return usage_error("rounds-per-upload", std::to_string(uploads.rounds),
                         "expected at least " + std::to_string(uploads.least) +
                             ", which hide examples, or a number as min_batch");
    }
    return AnySettings(std::make_shared<const StatisticsSettings>(StatisticsSettings{
        std::move(plan), options.resolved_sample_size(), uploads, options.personal,
        options.schedule.fixed_share, is_cooperative(algorithm) ? length.clients : 1, options.seed,
        repetition, options.robust}));
  }
  if (options.robust == Robust::trim) {
    return usage_error("robust", "only sums can be trimmed, which this run does not use",
                       "expected clip or none");
  }
  if (is_adaptive(options.schedule.kind)) {
    CAUCUS_CHECK(validate_sample_size(options.resolved_sample_size(), options.spaces.size()));
    return AnySettings(std::make_shared<const FirstOrderSettings>(FirstOrderSettings{
        std::move(plan), options.resolved_sample_size(), options.schedule.fixed_share, options.seed,
        repetition, options.robust == Robust::clip}));
  }
  const std::size_t K = options.spaces.size();
  std::vector<double> loss_bounds;
  loss_bounds.reserve(K);
  for (const SpaceConstants& c : constants) loss_bounds.push_back(c.loss_bound);
  OmsSettings settings{std::move(plan),
                       options.resolved_sample_size(),
                       ConstantSchedule{options.schedule.eta, options.schedule.lambda, K},
                       WeightedEntropy(std::move(loss_bounds)),
                       options.seed,
                       repetition,
                       options.schedule.fixed_share,
                       options.robust == Robust::clip};
  CAUCUS_CHECK(settings.validate());
  if (options.schedule.kind == ScheduleKind::theory) {
    CAUCUS_TRY(settings.schedule, theory_schedule(algorithm, constants, length, options));
  }
  return AnySettings(std::make_shared<const OmsSettings>(std::move(settings)));
}

}  // namespace caucus
