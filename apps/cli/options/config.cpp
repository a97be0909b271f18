#include "options/config.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "caucus/algorithms/any_algorithm.hpp"
#include "caucus/data/ranges.hpp"

namespace caucus::cli {
namespace {

bool is_kernel(SpaceKind kind) { return Space{.kind = kind}.is_kernel(); }

/// An option that its kind of space does not have is a contradiction, not something to ignore.
Status validate_group(const SpaceGroup& group) {
  const std::string where = "space '" + name_of(group.kind) + "'";
  const auto foreign = [&](bool given, const char* option, const char* owner) -> Status {
    if (!given) return Done{};
    return usage_error(where, std::string("has no ") + option,
                       std::string("that is an option of ") + owner);
  };
  const bool kernel = is_kernel(group.kind);
  const bool linear = group.kind == SpaceKind::linear;
  const bool expert = group.kind == SpaceKind::expert;
  CAUCUS_CHECK(foreign(group.radii && !linear, "radii", "linear spaces; kernels have a radius"));
  CAUCUS_CHECK(foreign(group.intercept && !linear, "intercept", "linear spaces"));
  CAUCUS_CHECK(foreign(group.radius && !kernel, "radius", "kernels; linear spaces have radii"));
  CAUCUS_CHECK(foreign(group.widths && !kernel, "widths", "kernels"));
  CAUCUS_CHECK(foreign(group.features && !kernel, "features", "kernels"));
  CAUCUS_CHECK(foreign(group.independent_base && !kernel, "independent base", "kernels"));
  CAUCUS_CHECK(foreign(group.constraint && expert, "constraint", "spaces that learn"));
  CAUCUS_CHECK(foreign(group.columns && !expert, "columns", "experts"));
  if (expert && !group.columns) {
    return usage_error(where, "no columns are named",
                       "expected --expert-columns A..B, the columns that hold their predictions");
  }
  return Done{};
}

Status exclusive(bool both, const char* where, const char* what, const char* expected) {
  if (!both) return Done{};
  return usage_error(where, what, expected);
}

}  // namespace

std::vector<SpaceGroup> default_spaces() {
  return {SpaceGroup{.kind = SpaceKind::linear}, SpaceGroup{.kind = SpaceKind::gaussian}};
}

bool RunConfig::counts_clients() const {
  return !clients_from.empty() || (partition && partition->starts_with("column"));
}

bool RunConfig::has_baseline() const {
  return std::any_of(algorithms.begin(), algorithms.end(), is_baseline);
}

bool RunConfig::has_only_baselines() const {
  return std::all_of(algorithms.begin(), algorithms.end(), is_baseline);
}

double RunConfig::default_radius() const {
  const bool bounded = std::holds_alternative<LinearLoss>(loss.kind());  // it has no least value
  return is_adaptive(schedule) && !bounded ? std::numeric_limits<double>::infinity() : 1.0;
}

std::vector<SpaceGroup> RunConfig::effective_spaces() const {
  auto groups = spaces.empty() ? default_spaces() : spaces;
  for (SpaceGroup& group : groups) {
    if (group.kind == SpaceKind::linear && !group.radii) group.radii.emplace(1, default_radius());
    if (is_kernel(group.kind) && !group.radius) group.radius = default_radius();
  }
  return groups;
}

Result<std::vector<Space>> expand(const std::vector<SpaceGroup>& groups) {
  std::vector<Space> spaces;
  for (const SpaceGroup& group : groups) {
    CAUCUS_CHECK(validate_group(group));
    Space space{.kind = group.kind,
                .constraint = group.constraint.value_or(Constraint::ball),
                .intercept = group.intercept,
                .independent_base = group.independent_base};
    if (group.kind == SpaceKind::linear) {
      for (const double radius : group.radii.value_or(std::vector{1.0})) {
        space.radius = radius;
        spaces.push_back(space);
      }
    } else if (space.is_kernel()) {
      space.radius = group.radius.value_or(1.0);
      space.features = group.features.value_or(kDefaultFeatures);
      for (const double width : group.widths.value_or(kDefaultWidths)) {
        space.width = width;
        spaces.push_back(space);
      }
    } else {
      for (std::size_t column = group.columns->first; column <= group.columns->second; ++column) {
        space.expert = static_cast<std::uint32_t>(column - group.columns->first);
        spaces.push_back(space);
      }
    }
  }
  return spaces;
}

BaselineRates RunConfig::rates() const {
  const BaselineRates defaults;
  return {weight_rate.value_or(defaults.weight_rate), model_rate.value_or(defaults.model_rate),
          regularization.value_or(defaults.regularization),
          exploration.value_or(defaults.exploration)};
}

Status RunConfig::validate_schedule() const {
  const bool theory = schedule == ScheduleKind::theory;
  const bool constant = schedule == ScheduleKind::constant;
  CAUCUS_CHECK(exclusive(!constant && (eta || lambda), "schedule",
                         "only a constant schedule has eta and lambda, but one is given",
                         "expected them with --schedule constant"));
  CAUCUS_CHECK(exclusive(!theory && (horizon || gradient_scale), "schedule",
                         "only the theory has a horizon and a gradient scale, but one is given",
                         "expected them with --schedule theory"));
  CAUCUS_CHECK(
      exclusive(!theory && !constant && (feature_bound || label_bound || loss_bound), "schedule",
                "an adaptive schedule needs no bound, but one is given",
                "expected feature, label and loss bounds with --schedule theory or constant"));
  CAUCUS_CHECK(exclusive(
      !has_baseline() && (weight_rate || model_rate || regularization || exploration), "schedule",
      "only baselines have weight and model rates, regularization and exploration, none is named",
      "expected --algorithm em-kofl, vm-kofl, pm-kofl, pof-mkl, ofskl, fed-omd or fedposgd"));
  CAUCUS_CHECK(exclusive(has_only_baselines() && (schedule != ScheduleKind::adaptive), "schedule",
                         "baselines have rates of their own, but a schedule is given",
                         "expected it with --algorithm fomd-oms or nco-oms"));
  CAUCUS_CHECK(exclusive(has_only_baselines() && fixed_share != 0.0, "--fixed-share",
                         "baselines have no fixed share, but one is given",
                         "expected it with --algorithm fomd-oms or nco-oms"));
  return exclusive(constant && (!eta || !lambda), "schedule",
                   "a constant schedule needs both rates", "expected --eta and --lambda");
}

Status RunConfig::validate_data() const {
  CAUCUS_CHECK(exclusive(!file.empty() && !clients_from.empty(), "data",
                         "both a file and a directory of clients are given",
                         "expected one of --data and --clients-from"));
  CAUCUS_CHECK(exclusive(file.empty() && clients_from.empty(), "data", "none is given",
                         "expected --data FILE or --clients-from DIR"));
  CAUCUS_CHECK(exclusive(!clients_from.empty() && partition.has_value(), "--partition",
                         "contradicts --clients-from, where every file is a client",
                         "expected one of the two"));
  return exclusive(!scale_from.empty() && !feature_range && !label_range, "--scale-from",
                   "nothing is scaled", "expected --feature-range or --label-range with it");
}

Status RunConfig::validate_spaces() const {
  std::size_t expert_groups = 0;
  for (const SpaceGroup& group : spaces) {
    CAUCUS_CHECK(validate_group(group));
    expert_groups += static_cast<std::size_t>(group.kind == SpaceKind::expert);
  }
  return exclusive(expert_groups > 1, "spaces", "experts are named twice",
                   "expected one range of columns for all experts");
}

Result<ExperimentOptions> RunConfig::experiment() const {
  CAUCUS_CHECK(validate_data());
  return experiment_without_data();
}

Result<ExperimentOptions> RunConfig::experiment_without_data() const {
  CAUCUS_CHECK(validate_schedule());
  CAUCUS_CHECK(validate_spaces());
  ExperimentOptions options;
  CAUCUS_TRY(options.spaces, expand(effective_spaces()));
  options.algorithms = algorithms;
  options.loss = loss;
  if (sample && *sample == 0) return usage_error("--sample", "0", "expected J >= 1");
  options.sample = sample.value_or(0);
  options.rounds_per_upload = rounds_per_upload;
  CAUCUS_TRY(options.partition, parse_partition(partition.value_or("shuffle")));
  if (!clients_from.empty()) options.partition.kind = PartitionSpec::Kind::files;
  options.clients = clients.value_or(counts_clients() ? 0 : kDefaultClients);
  if (clients && *clients == 0) return usage_error("--clients", "0", "expected at least 1");
  options.dropout = dropout;
  options.schedule = {schedule,
                      horizon.value_or(Horizon::rounds),
                      feature_bound,
                      label_bound,
                      gradient_scale.value_or(2.0),
                      loss_bound,
                      eta.value_or(1.0),
                      lambda.value_or(1.0),
                      fixed_share};
  options.rates = rates();
  options.repeats = repeats;
  options.seed = seed;
  options.threads = threads;
  options.regret = regret;
  CAUCUS_CHECK(options.validate());
  return options;
}

Result<ReadOptions> RunConfig::read_options() const {
  ReadOptions options;
  options.target = target;
  options.feature_range = feature_range;
  options.label_range = label_range;
  for (const SpaceGroup& group : spaces) {
    if (group.kind == SpaceKind::expert) options.expert_columns = group.columns;
  }
  CAUCUS_TRY(const PartitionSpec spec, parse_partition(partition.value_or("shuffle")));
  if (spec.kind == PartitionSpec::Kind::column) options.client_column = spec.column;
  if (!scale_from.empty()) {
    CAUCUS_TRY(options.ranges, load_ranges(scale_from));
  }
  return options;
}

}  // namespace caucus::cli
