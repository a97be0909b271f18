#include "caucus/engine/problem.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "caucus/algorithms/any_algorithm.hpp"
#include "caucus/core/base/text.hpp"
#include "caucus/core/losses/constants.hpp"
#include "caucus/core/statistics/row_sums.hpp"
#include "caucus/data/columns.hpp"
#include "caucus/data/encoding/encoding.hpp"

namespace caucus {
namespace {

double feature_bound(const Scaling& scaling, const Space& space, const Loss& loss,
                     const ScheduleConstants& given) {
  if (space.kind == SpaceKind::expert) {
    if (loss.is_classification()) return loss.prediction_of(1.0);
    const bool known = space.expert < scaling.expert_columns.size();
    if (!known) return target_bound(scaling);  // its forecasts are not a column
    return largest_in(scaling.expert_interval(space.expert));
  }
  if (given.feature_bound) return *given.feature_bound;
  if (!space.is_kernel()) return linear_feature_bound(scaling, space.intercept);
  if (!space.intercept) return 1.0;
  // The random features, x / sqrt(columns), and 1.
  const auto columns = static_cast<double>(scaling.feature_columns.size());
  return std::hypot(1.0, linear_feature_bound(scaling, false) / std::sqrt(columns), 1.0);
}

}  // namespace

Status LearningOptions::validate() const {
  const double share = schedule.fixed_share;
  if (!(share >= 0.0 && share < 1.0)) {
    return usage_error("fixed_share", to_text(share), "expected a number in [0, 1)");
  }
  if (!(growth > 0.0 && growth <= 1.0)) {
    return usage_error("growth", to_text(growth), "expected a number above 0, at most 1");
  }
  for (const Space& space : spaces) {
    if (std::isinf(space.radius) && std::holds_alternative<LinearLoss>(loss.kind())) {
      return usage_error("loss", "the linear loss has no minimum in '" + space.name() + "'",
                         "expected finite radii with the linear loss");
    }
  }
  return Done{};
}

Result<std::optional<Scaling>> known_scaling(const std::optional<ReadOptions>& columns) {
  if (!columns || !columns->ranges) {
    if (columns && (columns->feature_range || columns->label_range)) {
      return usage_error("ranges", "columns are to be scaled, but their ranges are not known",
                         "expected the minimum and maximum of each column");
    }
    return std::optional<Scaling>();
  }
  const Ranges& ranges = *columns->ranges;
  if (!columns->encodings.empty()) {
    CAUCUS_TRY(Scaling encoded, encoded_scaling(columns->encodings, columns->lags, ranges));
    encoded.feature_range = columns->feature_range;
    if (!has_classes(columns->encodings)) encoded.label_range = columns->label_range;
    return std::optional(std::move(encoded));
  }
  CAUCUS_TRY(Scaling scaling, assign_columns(*columns, {ranges.names, ranges.columns()}, "ranges"));
  scaling.feature_range = columns->feature_range;
  scaling.label_range = columns->label_range;
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
    if (dimension > 0)
      numbers += static_cast<double>(triangle_size(dimension + options.loss.outputs()));
  }
  const double copies = is_cooperative(algorithm) ? 1.0 : static_cast<double>(clients);
  return copies * numbers * sizeof(double) <= kBudget;
}

std::size_t held_models(const std::vector<Space>& spaces, const Loss& loss, std::size_t sample_size,
                        bool from_sums) {
  const std::size_t J = sample_size > 0 ? sample_size : std::min<std::size_t>(2, spaces.size());
  if (!from_sums || !reference_space(spaces, loss)) return J;
  return std::min(J, spaces.size() - 1) + 1;
}

UploadRule upload_rule(const RunOptions& options, std::size_t features, bool from_sums) {
  if (!from_sums) return UploadRule{std::max<std::size_t>(1, options.rounds_per_upload)};
  UploadRule rule{options.rounds_per_upload, options.growth,
                  std::max<std::size_t>(options.min_batch, 1),
                  options.personal && options.mode == Mode::asynchronous};
  if (options.min_batch == 0) {
    hide_examples(rule, options.spaces, options.loss, features,
                  held_models(options.spaces, options.loss, options.sample_size, true));
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
  return run_length(rounds_of(partition), uploads);
}

std::vector<std::size_t> rounds_of(const Partition& partition) {
  std::vector<std::size_t> rounds;
  for (std::size_t j = 0; j < partition.clients(); ++j) rounds.push_back(partition.rounds(j));
  return rounds;
}

std::vector<SpaceConstants> make_constants(const Scaling& scaling, const RunOptions& options) {
  const ScheduleConstants& given = options.constants;
  const double automatic =
      options.loss.is_classification() || options.loss.has_classes() ? 1.0 : target_bound(scaling);
  const BoundOptions bounds{given.label_bound.value_or(automatic), given.gradient_scale,
                            given.loss_bound};
  std::vector<SpaceConstants> constants;
  constants.reserve(options.spaces.size());
  for (const Space& space : options.spaces) {
    constants.push_back(constants_of(space, options.loss,
                                     feature_bound(scaling, space, options.loss, given), bounds));
  }
  return constants;
}

namespace {

std::size_t horizon_of(const RunLength& length, const RunOptions& options) {
  return options.constants.horizon == Horizon::examples ? length.reports : length.batches;
}

Result<TheorySchedule> theory_schedule(const std::string& algorithm,
                                       const std::vector<SpaceConstants>& constants,
                                       const RunLength& length, const RunOptions& options) {
  CAUCUS_CHECK(check_horizon(length, options));
  const double clients = is_cooperative(algorithm) ? static_cast<double>(length.clients) : 1.0;
  return TheorySchedule({options.spaces.size(), options.resolved_sample_size(), clients,
                         static_cast<double>(horizon_of(length, options))},
                        constants);
}

}  // namespace

Status check_horizon(const RunLength& length, const RunOptions& options) {
  const std::size_t K = options.spaces.size();
  const std::size_t horizon = horizon_of(length, options);
  if (options.schedule.kind != ScheduleKind::theory || horizon >= K) return Done{};
  const char* name = options.rounds_per_upload > 1 ? "R = " : "T = ";
  return usage_error(
      "schedule", name + std::to_string(horizon) + " is less than K = " + std::to_string(K),
      "expected at least as many uploads as spaces; use fewer spaces or another schedule");
}

Result<Plan> make_plan(const LearningOptions& options, InputShape shape, std::uint32_t repetition) {
  CAUCUS_TRY(auto maps, FeatureMaps::make(options.spaces, shape, options.seed, repetition,
                                          options.resolved_sample_size()));
  return Plan{std::move(maps), options.loss};
}

Result<Plan> make_plan(const SharedPlan& shared) {
  CAUCUS_TRY(auto maps, FeatureMaps::make(shared.spaces, {shared.features, shared.experts},
                                          shared.seed, 0, shared.sample_size));
  return Plan{std::move(maps), shared.loss};
}

SharedPlan shared_plan(const LearningOptions& options, InputShape shape, std::size_t clients) {
  SharedPlan plan;
  plan.spaces = options.spaces;
  plan.loss = options.loss;
  plan.seed = options.seed;
  plan.sample_size = options.resolved_sample_size();
  plan.statistics = learns_from_sums("fomd-oms", options, shape.features, clients);
  plan.hides_examples = plan.statistics && options.min_batch == 0;
  plan.personal = plan.statistics && options.personal;
  plan.rounds_per_upload = plan.statistics ? options.rounds_per_upload
                                           : std::max<std::size_t>(1, options.rounds_per_upload);
  plan.features = shape.features;
  plan.experts = shape.experts;
  return plan;
}

Result<PreparedRun> prepare(const std::string& algorithm, std::shared_ptr<const Plan> plan,
                            const std::vector<SpaceConstants>& constants,
                            std::span<const std::size_t> rounds, const RunOptions& options,
                            std::uint32_t repetition) {
  const std::size_t features = plan->maps.shape().features;
  const bool from_sums = learns_from_sums(algorithm, options, features, rounds.size());
  const UploadRule uploads = upload_rule(options, features, from_sums);
  const RunLength length = run_length(rounds, uploads);
  CAUCUS_TRY(auto settings,
             make_settings(algorithm, std::move(plan), constants, length, options, repetition));
  return PreparedRun{uploads, length, std::move(settings)};
}

Status check_classes(const Loss& loss) {
  if (!loss.has_classes() || loss.classes() > 0) return Done{};
  return usage_error("loss", "the number of classes is not known",
                     "expected the number too, as in classes:10");
}

Status check_batch_length(const UploadRule& uploads) {
  if (uploads.rounds == 0 || uploads.sends(uploads.rounds)) return Done{};
  return usage_error("rounds_per_upload",
                     std::to_string(uploads.rounds) + " rounds are too few to hide their examples",
                     "expected at least " + std::to_string(uploads.least) +
                         ", or min_batch = 1 if they need not be hidden");
}

Result<AnySettings> make_settings(const std::string& algorithm, std::shared_ptr<const Plan> plan,
                                  const std::vector<SpaceConstants>& constants,
                                  const RunLength& length, const RunOptions& options,
                                  std::uint32_t repetition) {
  CAUCUS_CHECK(check_classes(options.loss));
  if (options.loss.has_classes() &&
      !learns_from_sums(algorithm, options, plan->maps.shape().features, length.clients)) {
    return usage_error("loss", "classes cannot be learned by '" + algorithm + "' as it is set",
                       "expected fomd-oms or nco-oms with the adaptive schedule, and spaces of at "
                       "most 500 weights for each class");
  }
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
    CAUCUS_CHECK(check_batch_length(uploads));
    return AnySettings(std::make_shared<const StatisticsSettings>(StatisticsSettings{
        std::move(plan), options.resolved_sample_size(), uploads, options.personal,
        options.schedule.fixed_share, is_cooperative(algorithm) ? length.clients : 1, options.seed,
        repetition, options.robust}));
  }
  if (is_adaptive(options.schedule.kind)) {
    CAUCUS_CHECK(validate_sample_size(options.resolved_sample_size(), options.spaces.size()));
    return AnySettings(std::make_shared<const FirstOrderSettings>(FirstOrderSettings{
        std::move(plan), options.resolved_sample_size(), options.schedule.fixed_share, options.seed,
        repetition, is_cooperative(algorithm) ? options.robust : Robust::none}));
  }
  const std::size_t K = options.spaces.size();
  std::vector<double> loss_bounds;
  loss_bounds.reserve(K);
  for (const SpaceConstants& c : constants) loss_bounds.push_back(c.loss_bound);
  OmsSettings settings{std::move(plan),
                       options.resolved_sample_size(),
                       ConstantSchedule{options.constants.eta, options.constants.lambda, K},
                       WeightedEntropy(std::move(loss_bounds)),
                       options.seed,
                       repetition,
                       options.schedule.fixed_share,
                       options.robust};
  CAUCUS_CHECK(settings.validate());
  if (options.schedule.kind == ScheduleKind::theory) {
    CAUCUS_TRY(settings.schedule, theory_schedule(algorithm, constants, length, options));
  }
  return AnySettings(std::make_shared<const OmsSettings>(std::move(settings)));
}

}  // namespace caucus
