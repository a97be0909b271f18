#include "options/config.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <type_traits>

#include "caucus/algorithms/any_algorithm.hpp"
#include "caucus/data/class_names.hpp"
#include "caucus/data/ranges.hpp"
#include "options/expert_spaces.hpp"

namespace caucus::cli {
namespace {

bool is_kernel(SpaceKind kind) { return Space{.kind = kind}.is_kernel(); }

struct Rule {
  bool broken;
  std::string where, what, expected;
};

Status check(const std::vector<Rule>& rules) {
  for (const auto& [broken, where, what, expected] : rules) {
    if (broken) return usage_error(where, what, expected);
  }
  return Done{};
}

/// An option that its kind of space does not have is a contradiction, not something to ignore.
Status validate_group(const SpaceGroup& group) {
  const std::string where = "space '" + name_of(group.kind) + "'";
  const auto foreign = [&](bool given, const std::string& option, const std::string& owner) {
    return Rule{given, where, "has no " + option, "that is an option of " + owner};
  };
  const bool kernel = is_kernel(group.kind);
  const bool linear = group.kind == SpaceKind::linear;
  const bool expert = group.kind == SpaceKind::expert;
  return check(
      {foreign(group.radii && !linear, "radii", "linear spaces; kernels have a radius"),
       foreign(group.intercept && group.kind == SpaceKind::expert, "intercept",
               "linear spaces and kernels"),
       foreign(group.radius && !kernel, "radius", "kernels; linear spaces have radii"),
       foreign(group.widths && !kernel, "widths", "kernels"),
       foreign(group.features && !kernel, "features", "kernels"),
       foreign(group.independent_base && !kernel, "independent base", "kernels"),
       foreign(group.constraint && expert, "constraint", "spaces that learn"),
       foreign(!group.columns.empty() && !expert, "columns", "experts"),
       foreign(!group.names.empty() && !expert, "names", "experts"),
       foreign(!group.command.empty() && !expert, "command", "experts"),
       foreign(group.timeout && group.command.empty(), "timeout", "experts with a command"),
       foreign(group.as_features && group.columns.empty(), "columns as features",
               "experts whose predictions are columns"),
       {expert && group.columns.empty() && group.names.empty(), where, "no columns are named",
        "expected --expert-columns A..B, the columns that hold their predictions, or "
        "--expert-names with --expert-command"},
       {!group.columns.empty() && !group.command.empty(), where, "has both columns and a command",
        "expected one of the two"}});
}

/// Returns the widths of the default kernels.
std::vector<double> default_widths() {
  std::vector<double> widths;
  for (const Space& space : caucus::default_spaces(1.0, false)) {
    if (space.is_kernel()) widths.push_back(space.width);
  }
  return widths;
}

template <class T>
void set_default(std::optional<T>& setting, std::type_identity_t<T> value) {
  if (!setting) setting = std::move(value);
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

bool RunConfig::scales_by_default() const {
  const bool has_data = !file.empty() || !clients_from.empty();
  return scale && has_data && !feature_range && !label_range;
}

RunConfig RunConfig::resolved() const {
  RunConfig all = *this;
  if (scales_by_default()) {
    all.feature_range = Interval{-1.0, 1.0};
    const bool of_classes = loss.is_classification() || loss.has_classes() || !classes.empty();
    if (!of_classes) all.label_range = Interval{0.0, 1.0};
  }
  const bool unbounded =  // the linear loss has no minimum
      is_adaptive(schedule) && !std::holds_alternative<LinearLoss>(loss.kind());
  const bool adaptive = schedule == ScheduleKind::adaptive && !has_only_baselines();
  const double default_radius = unbounded ? std::numeric_limits<double>::infinity() : 1.0;
  if (all.spaces.empty()) all.spaces = default_spaces();
  for (SpaceGroup& group : all.spaces) {
    if (group.kind == SpaceKind::linear) set_default(group.radii, {default_radius});
    if (group.kind != SpaceKind::expert) {
      set_default(group.constraint, Constraint::ball);
      set_default(group.intercept, adaptive);
    }
    if (!is_kernel(group.kind)) continue;
    set_default(group.radius, default_radius);
    set_default(group.widths, default_widths());
    set_default(group.features, kDefaultFeatures);
  }
  if (!counts_clients()) set_default(all.clients, kDefaultClients);
  // Lags need rows in their order.
  const bool ordered = lags > 0 || !time.empty();
  if (clients_from.empty()) set_default(all.partition, ordered ? "blocks" : "shuffle");
  if (const auto candidates = expand(all.spaces); candidates.ok()) {
    set_default(all.sample_size, std::min<std::size_t>(2, candidates->size()));
  }
  set_default(all.rounds_per_upload, adaptive ? 0U : 1U);
  if (adaptive) {
    const RunOptions defaults;
    set_default(all.growth, defaults.growth);
    set_default(all.min_batch, defaults.min_batch);
    set_default(all.personal, defaults.personal);
    set_default(all.mode, defaults.mode);
    set_default(all.robust, defaults.robust);
  }
  if (schedule == ScheduleKind::theory) {
    const ScheduleConstants defaults;
    set_default(all.horizon, defaults.horizon);
    set_default(all.gradient_scale, defaults.gradient_scale);
  }
  if (has_baseline()) {
    const BaselineRates defaults;
    set_default(all.weight_rate, defaults.weight_rate);
    set_default(all.model_rate, defaults.model_rate);
    set_default(all.regularization, defaults.regularization);
    set_default(all.exploration, defaults.exploration);
  }
  return all;
}

Result<std::vector<Space>> expand(const std::vector<SpaceGroup>& groups) {
  std::vector<Space> spaces;
  for (const SpaceGroup& group : groups) {
    CAUCUS_CHECK(validate_group(group));
    Space space{.kind = group.kind,
                .constraint = group.constraint.value_or(Constraint::ball),
                .intercept = group.intercept.value_or(false),
                .independent_base = group.independent_base};
    if (group.kind == SpaceKind::linear) {
      for (const double radius : group.radii.value_or(std::vector{1.0})) {
        space.radius = radius;
        spaces.push_back(space);
      }
    } else if (space.is_kernel()) {
      space.radius = group.radius.value_or(1.0);
      space.features = group.features.value_or(kDefaultFeatures);
      for (const double width : group.widths.value_or(default_widths())) {
        space.width = width;
        spaces.push_back(space);
      }
    } else {
      CAUCUS_CHECK(add_experts(group, space, spaces));
    }
  }
  return spaces;
}

Status RunConfig::validate() const {
  const bool theory = schedule == ScheduleKind::theory;
  const bool constant = schedule == ScheduleKind::constant;
  CAUCUS_CHECK(check(
      {{!constant && (eta || lambda), "schedule",
        "only a constant schedule has eta and lambda, but one is given",
        "expected them with --schedule constant"},
       {!theory && (horizon || gradient_scale), "schedule",
        "only the theory has a horizon and a gradient scale, but one is given",
        "expected them with --schedule theory"},
       {is_adaptive(schedule) && (feature_bound || label_bound || loss_bound), "schedule",
        "an adaptive schedule needs no bound, but one is given",
        "expected feature, label and loss bounds with --schedule theory or constant"},
       {!has_baseline() && (weight_rate || model_rate || regularization || exploration), "schedule",
        "only baselines have weight and model rates, regularization and exploration, none is named",
        "expected --algorithm em-kofl, vm-kofl, pm-kofl, pof-mkl, ofskl, fed-omd or fedposgd"},
       {schedule != ScheduleKind::adaptive &&
            (rounds_per_upload == 0U || growth || min_batch || personal || mode),
        "schedule", "only the adaptive schedule has growing batches, a personal layer and a mode",
        "expected them with --schedule adaptive"},
       {has_only_baselines() && schedule != ScheduleKind::adaptive, "schedule",
        "baselines have rates of their own, but a schedule is given",
        "expected it with --algorithm fomd-oms or nco-oms"},
       {has_only_baselines() && fixed_share != 0.0, "fixed_share",
        "baselines have no fixed share, but one is given",
        "expected it with --algorithm fomd-oms or nco-oms"},
       {constant && (!eta || !lambda), "schedule", "a constant schedule needs both rates",
        "expected --eta and --lambda"}}));
  for (const SpaceGroup& group : spaces) CAUCUS_CHECK(validate_group(group));
  const auto experts = std::count_if(spaces.begin(), spaces.end(), [](const SpaceGroup& group) {
    return group.kind == SpaceKind::expert;
  });
  return check({{experts > 1, "spaces", "experts are named twice",
                 "expected all experts' columns in one list"},
                {sample_size == 0U, "sample_size", "0", "expected J >= 1"},
                {clients == 0U, "clients", "0", "expected at least 1"}});
}

Result<ExperimentOptions> RunConfig::experiment() const {
  CAUCUS_CHECK(check(
      {{!file.empty() && !clients_from.empty(), "data",
        "both a file and a directory of clients are given",
        "expected one of --data and --clients-from"},
       {file.empty() && clients_from.empty(), "data", "none is given",
        "expected --data FILE or --clients-from DIR"},
       {!clients_from.empty() && partition.has_value(), "partition",
        "contradicts --clients-from, where every file is a client", "expected one of the two"},
       {!scale_from.empty() && !scale && !feature_range && !label_range, "ranges",
        "nothing is scaled", "expected --feature-range or --label-range with it"},
       {lags > 0 && partition && (*partition == "shuffle" || partition->starts_with("dirichlet")),
        "lags", "rows are dealt to clients at random",
        "expected them with --partition column:NAME, --partition blocks or --clients-from"}}));
  for (const SpaceGroup& group : spaces) {
    if (group.names.empty() || !group.columns.empty() || !group.command.empty()) continue;
    return usage_error("expert_command", "nothing makes the predictions of the experts",
                       "expected --expert-command, or --expert-columns");
  }
  return experiment_without_data();
}

Result<Loss> RunConfig::loss_of_classes() const {
  if (classes.empty()) return loss;
  const bool is_square = std::holds_alternative<SquareLoss>(loss.kind());
  if (!is_square && !loss.has_classes()) {
    return usage_error("classes", "the loss is " + loss.name(),
                       "expected no other loss than classes with the names of classes");
  }
  if (classes.size() < 2 || classes.size() > kMostClasses) {
    return usage_error("classes", std::to_string(classes.size()) + " classes",
                       "expected 2 to 1000 names");
  }
  if (loss.classes() > 0 && loss.classes() != classes.size()) {
    return usage_error("classes", std::to_string(classes.size()) + " names",
                       "expected " + std::to_string(loss.classes()) + ", as the loss says");
  }
  if (std::set(classes.begin(), classes.end()).size() < classes.size()) {
    return usage_error("classes", "a name occurs twice", "expected every name once");
  }
  return Loss{ClassesLoss{{}, classes.size()}};
}

Result<ExperimentOptions> RunConfig::experiment_without_data() const {
  CAUCUS_CHECK(validate());
  const RunConfig all = resolved();
  ExperimentOptions options;
  static_cast<SimulationOptions&>(options) = static_cast<const SimulationOptions&>(*this);
  CAUCUS_TRY(options.spaces, expand(all.spaces));
  CAUCUS_TRY(options.loss, loss_of_classes());
  options.sample_size = *all.sample_size;
  options.rounds_per_upload = *all.rounds_per_upload;
  options.personal = all.personal.value_or(options.personal);
  options.mode = all.mode.value_or(options.mode);
  options.robust = all.robust.value_or(options.robust);
  options.growth = all.growth.value_or(options.growth);
  options.min_batch = all.min_batch.value_or(options.min_batch);
  CAUCUS_TRY(options.partition, parse_partition(all.partition.value_or("shuffle")));
  if (!clients_from.empty()) options.partition.kind = PartitionSpec::Kind::files;
  options.clients = all.clients.value_or(0);  // the data say how many
  options.schedule = {schedule, fixed_share};
  ScheduleConstants& rates = options.constants;
  rates.horizon = all.horizon.value_or(rates.horizon);
  rates.feature_bound = feature_bound;
  rates.label_bound = label_bound;
  rates.gradient_scale = all.gradient_scale.value_or(rates.gradient_scale);
  rates.loss_bound = loss_bound;
  rates.eta = eta.value_or(rates.eta);
  rates.lambda = lambda.value_or(rates.lambda);
  if (has_baseline()) {
    options.rates = {*all.weight_rate, *all.model_rate, *all.regularization, *all.exploration};
  }
  options.seed = seed;
  CAUCUS_CHECK(options.validate());
  return options;
}

const SpaceGroup* RunConfig::commanded_experts() const {
  const auto found = std::find_if(spaces.begin(), spaces.end(),
                                  [](const SpaceGroup& group) { return !group.command.empty(); });
  return found == spaces.end() ? nullptr : &*found;
}

Result<ReadOptions> RunConfig::read_options() const {
  ReadOptions options;
  const RunConfig all = resolved();
  options.target = target;
  options.feature_range = all.feature_range;
  options.label_range = all.label_range;
  options.drop = drop;
  options.categories = categories;
  options.numbers = numbers;
  options.missing = missing;
  options.time = time;
  options.lags = lags;
  options.impute = impute;
  options.hash_columns = hash_columns;
  for (const SpaceGroup& group : spaces) {
    if (group.kind != SpaceKind::expert) continue;
    options.expert_columns = group.columns;
    options.experts_are_features = group.as_features;
  }
  CAUCUS_TRY(const Loss used, loss_of_classes());
  if (used.has_classes()) {
    options.label_range.reset();  // a class is no number
    options.classes = classes.empty() ? numbered_classes(used.classes()) : classes;
  }
  CAUCUS_TRY(const PartitionSpec spec, parse_partition(partition.value_or("shuffle")));
  if (spec.kind == PartitionSpec::Kind::column) options.client_column = spec.column;
  if (!scale_from.empty()) {
    CAUCUS_TRY(options.ranges, load_ranges(scale_from));
  }
  return options;
}

}  // namespace caucus::cli
