#include "serving/served_configuration.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "caucus/core/simd/kernels.hpp"
#include "caucus/data/columns.hpp"
#include "caucus/data/encoding/encoding.hpp"
#include "caucus/data/files/byte_source.hpp"
#include "caucus/data/ranges.hpp"
#include "caucus/report/json.hpp"
#include "caucus/simulation/hindsight/comparator.hpp"
#include "caucus/simulation/summary.hpp"
#include "joining/join_state.hpp"
#include "options/config_file.hpp"
#include "options/expert_spaces.hpp"

namespace caucus::cli {
namespace {

constexpr int kPlanVersion = 2;  ///< 2: the plan always states J

Status can_be_served(const RunConfig& config) {
  const std::string& algorithm = config.algorithms.front();
  if (config.algorithms.size() > 1) {
    return usage_error("algorithms",
                       std::to_string(config.algorithms.size()) + " algorithms are named",
                       "expected fomd-oms alone: clients learn only once");
  }
  if (algorithm != "fomd-oms") {
    return usage_error("algorithms", "'" + algorithm + "' cannot be served",
                       "expected fomd-oms; others can be simulated with caucus run");
  }
  if (config.repeats != 1) {
    return usage_error("repeats", std::to_string(config.repeats),
                       "expected 1: clients learn only once");
  }
  if (config.regret) {
    return usage_error("regret", "the regret for any loss needs all clients' data in one place",
                       "expected no regret here: the result has what the clients' sums tell of it");
  }
  return Done{};
}

RunConfig without_simulation(RunConfig config) {
  config.file.clear();
  config.clients_from.clear();
  config.clients.reset();
  config.partition.reset();
  config.dropout = 0.0;
  config.threads = 0;
  return config;
}

Result<FederationSettings> federation_settings(const ExperimentOptions& options,
                                               const ServerConfig& server, ReadOptions columns,
                                               std::string arithmetic) {
  InputShape shape;
  CAUCUS_TRY(const auto scaling, known_scaling(columns));
  if (scaling) shape.features = scaling->feature_columns.size();
  if (server.features) {
    if (scaling && *server.features != shape.features) {
      return usage_error("features", std::to_string(*server.features),
                         "expected " + std::to_string(shape.features) + ", as the ranges have");
    }
    shape.features = *server.features;
  }
  for (const Space& space : options.spaces) {
    if ((!scaling && !server.features) || space.kind != SpaceKind::expert) continue;
    shape.experts = std::max<std::size_t>(shape.experts, space.expert + 1);
  }
  FederationSettings settings;
  settings.plan = shared_plan(options, shape, server.clients.size());
  settings.plan.arithmetic = std::move(arithmetic);
  settings.plan.label_delay = server.label_delay;
  settings.plan.columns = std::move(columns);
  settings.problem = static_cast<const RunOptions&>(options);
  settings.clients = server.clients;
  settings.quorum = server.quorum.value_or(0);
  if (server.deadline_ms) settings.deadline = std::chrono::milliseconds(*server.deadline_ms);
  settings.violations = server.violations;
  settings.max_abs_target = server.max_abs_target;
  settings.max_feature_norm = server.max_feature_norm;
  CAUCUS_CHECK(settings.validate());
  CAUCUS_CHECK(example_bounds(settings));
  return settings;
}

Result<ServedConfiguration> checked(const RunConfig& config, const ServerConfig& server,
                                    std::optional<Ranges> ranges, std::string arithmetic) {
  ServedConfiguration run{without_simulation(config), server, {}, {}};
  CAUCUS_CHECK(can_be_served(config));
  CAUCUS_TRY(run.options, run.config.experiment_without_data());
  run.options.clients = server.clients.size();
  run.options.partition.kind = PartitionSpec::Kind::files;
  RunConfig ranges_apart = run.config;
  ranges_apart.scale_from.clear();
  CAUCUS_TRY(ReadOptions columns, ranges_apart.read_options());
  columns.ranges = std::move(ranges);
  if (states_encodings(columns)) {
    CAUCUS_TRY(columns.encodings, stated_encodings(columns));
  } else if (!columns.categories.empty() || !columns.time.empty() || columns.lags > 0) {
    return usage_error("ranges", "columns are listed, but the others are not known",
                       "expected scale_from with the ranges of the columns of numbers");
  }
  CAUCUS_TRY(const auto scaling, known_scaling(columns));
  if (scaling && !columns.encodings.empty()) {
    const auto made = encoded_columns(columns.encodings, columns.lags);
    std::vector<std::string> names;
    for (const std::size_t column : scaling->expert_columns) names.push_back(made[column].name);
    name_experts(run.options.spaces, names);
  }
  CAUCUS_TRY(run.federation,
             federation_settings(run.options, server, std::move(columns), std::move(arithmetic)));
  if (const SharedPlan& plan = run.federation.plan; plan.features > 0) {
    CAUCUS_CHECK(check_batch_length(upload_rule(run.options, plan.features, plan.statistics)));
  }
  return run;
}

Result<ServedConfiguration> make(const RunConfig& config, const ServerConfig& server,
                                 std::optional<Ranges> ranges, std::string arithmetic) {
  auto run = checked(config, server, std::move(ranges), std::move(arithmetic));
  if (!run.ok()) return located(std::move(run.error()), config, &server);
  return run;
}

Scaling unscaled(const SharedPlan& plan) {
  const std::size_t columns = plan.features + plan.experts + 1;
  Scaling scaling;
  const auto assigned = assign_columns(*plan.columns, {{}, columns}, "columns");
  if (assigned.ok() && assigned->feature_columns.size() == plan.features) {
    scaling = *assigned;
  } else {  // the target is a name, and only the clients know its column
    scaling.columns = columns;
    scaling.target_column = columns - 1;
    scaling.feature_columns.resize(plan.features);
    std::iota(scaling.feature_columns.begin(), scaling.feature_columns.end(), std::size_t{0});
    scaling.expert_columns.resize(plan.experts);
    std::iota(scaling.expert_columns.begin(), scaling.expert_columns.end(), plan.features);
  }
  scaling.minimum.assign(columns, 0.0);
  scaling.maximum.assign(columns, 0.0);
  return scaling;
}

std::vector<std::string> feature_names(const SharedPlan& plan, const Scaling& scaling) {
  std::vector<std::string> names;
  if (!plan.columns->encodings.empty()) {
    return encoded_feature_names(plan.columns->encodings, plan.columns->lags);
  }
  if (!plan.columns->ranges || plan.columns->ranges->names.empty()) return names;
  for (const std::size_t column : scaling.feature_columns) {
    names.push_back(plan.columns->ranges->names[column]);
  }
  return names;
}

/// Returns how the clients write their classes: as 0 and 1 if the ranges say so, else as -1 and 1.
LabelConvention labels_of(const SharedPlan& plan, const Scaling& scaling) {
  if (!plan.loss.is_classification()) return LabelConvention::none;
  const bool from_zero = plan.columns->ranges && scaling.target_interval().first == 0.0;
  return from_zero ? LabelConvention::zero_one : LabelConvention::minus_plus;
}

/// Returns the actual length of the run, which differs from the expected one if batches closed
/// without a client or if a client did not announce how many examples it has.
RunLength length_of(const Federation& federation) {
  RunLength length = federation.length();
  for (const Member& member : federation.members()) {
    length.rounds = std::max<std::size_t>(length.rounds, member.counted);
  }
  length.batches = federation.batch();
  return length;
}

/// Adds the regret against each space whose sums have all reported examples, unless floats leave
/// too few digits. It is exact, up to the gap, if these are all examples and no values were
/// replaced to hide them.
void add_regret(const Federation& federation, ServedResult& served) {
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  constexpr double kLargestGap = 0.1;  // as a part of the loss
  const AnyServer& server = *federation.server();
  const auto used = static_cast<double>(served.result.used);
  AlgorithmResult result;
  bool any = false;
  for (std::size_t i = 0; i < server.plan().maps.size(); ++i) {
    const MapSums* sums = server.complete_sums(i);
    result.regret_examples.push_back(sums != nullptr ? sums->examples : 0.0);
    BestFit best{kUnknown, kUnknown, {}};
    if (sums != nullptr && sums->examples == used) {
      const Region region = region_of(server.plan().maps.space(i));
      BestFit found = GramComparator(sums->sums).best(region);
      if (found.gap <= kLargestGap * found.loss) best = std::move(found);
      any = true;
    }
    result.best_loss.push_back(best.loss);
    result.best_gap.push_back(best.gap);
    result.regret.push_back(federation.telemetry().loss - best.loss);
  }
  if (!any) return;
  AlgorithmResult& into = served.result.results.front();
  into.regret_exact =
      !federation.settings().plan.hides_examples && served.result.used == served.data.rows;
  into.regret_examples = std::move(result.regret_examples);
  into.regret = std::move(result.regret);
  into.best_gap = std::move(result.best_gap);
  into.best_loss = served.result.best_loss = std::move(result.best_loss);
}

/// Returns how the columns of a file become an example. If that is unknown, they are the features,
/// the experts' predictions and the target.
Result<Scaling> served_scaling(const SharedPlan& plan) {
  CAUCUS_TRY(auto known, known_scaling(plan.columns));
  return known ? std::move(*known) : unscaled(plan);
}

}  // namespace

Result<ServedConfiguration> make_served_configuration(const RunConfig& config,
                                                      const ServerConfig& server) {
  std::optional<Ranges> ranges;
  if (!config.scale_from.empty()) {
    CAUCUS_TRY(ranges, load_ranges(config.scale_from));
  }
  return make(config, server, std::move(ranges), simd::kernels().name);
}

std::vector<std::string> ignored_settings(const RunConfig& config) {
  std::vector<std::string> keys;
  if (!config.file.empty()) keys.emplace_back("data.file");
  if (config.clients) keys.emplace_back("federation.clients");
  if (config.partition) keys.emplace_back("federation.partition");
  if (config.dropout != 0.0) keys.emplace_back("federation.dropout");
  return keys;
}

std::string plan_text(const ServedConfiguration& run) {
  RunConfig config = run.config;
  config.scale_from.clear();  // this is a path; its ranges are below
  Json tables = config_json(config, &run.server);
  tables["run"] = {{"seed", tables["run"]["seed"]}};
  Json server = Json::object();
  for (const char* key :
       {"clients", "label_delay", "features", "max_abs_target", "max_feature_norm"}) {
    if (tables["server"].contains(key)) server[key] = tables["server"][key];
  }
  tables["server"] = std::move(server);
  const SharedPlan& plan = run.federation.plan;
  Json text = {{"format", "caucus-plan"},
               {"format_version", kPlanVersion},
               {"arithmetic", plan.arithmetic},
               {"config", config_toml(tables)},
               {"ranges", nullptr}};
  if (plan.columns->ranges) text["ranges"] = ranges_text(*plan.columns->ranges);
  return report::json_text(text);
}

Result<ServedConfiguration> parse_plan(const std::string& text, const std::string& where) {
  constexpr const char* kExpected = "expected a store written by caucus serve";
  CAUCUS_TRY(const Json json, report::parse_json(text, where, kExpected));
  if (!json.is_object()) return data_error(where, "its plan is not an object", kExpected);
  std::optional<Error> error;
  report::JsonReader in(json, "", error);
  if (in.text("format") != "caucus-plan" || in.number("format_version") != kPlanVersion) {
    in.fail("format", "is not caucus-plan 2, the one that this program reads");
  }
  const std::string config_text = in.text("config");
  const std::string ranges_text = in.text("ranges");
  std::string arithmetic = in.text("arithmetic");
  if (error) return data_error(where, error->where + " " + error->what, kExpected);

  ServerConfig server;
  CAUCUS_TRY(const RunConfig config, parse_config(config_text, where, &server));
  std::optional<Ranges> ranges;
  if (!ranges_text.empty()) {
    ByteSource source = ByteSource::from_memory(ranges_text, where);
    CAUCUS_TRY(ranges, read_ranges(source));
  }
  return make(config, server, std::move(ranges), std::move(arithmetic));
}

Result<ServedResult> served_result(const Federation& federation, const ServedConfiguration& run,
                                   std::string name, double seconds) {
  const SharedPlan& plan = federation.settings().plan;
  CAUCUS_TRY(Scaling scaling, served_scaling(plan));
  ServedResult served;
  served.labels = labels_of(plan, scaling);
  served.class_names = plan.columns->classes;
  served.data = {std::move(name), 0, feature_names(plan, scaling), std::move(scaling)};
  if (!plan.columns->encodings.empty()) {
    const auto made = encoded_columns(plan.columns->encodings, plan.columns->lags);
    served.data.target = made[served.data.scaling.target_column].name;
  }
  served.data.in_order = true;
  for (const Member& member : federation.members()) {
    served.data.rows += std::max(member.examples, member.counted);
    served.data.clipped += member.clipped;
  }
  RepetitionOutcome outcome;
  outcome.played.push_back({federation.telemetry(),
                            seconds,
                            federation.curve().curve,
                            federation.server()->learned(),
                            length_of(federation),
                            plan.statistics,
                            {},
                            {}});
  std::vector<RepetitionOutcome> outcomes;
  outcomes.push_back(std::move(outcome));
  served.result = summarise(std::move(outcomes), run.options);
  for (std::size_t j = 0; j < federation.members().size(); ++j) {
    served.result.results.front().clients[j].name = federation.members()[j].name;
  }
  add_regret(federation, served);
  return served;
}

Result<report::StoredModel> served_model(const Federation& federation,
                                         const ServedConfiguration& run,
                                         const LearnedState& learned) {
  const SharedPlan& plan = federation.settings().plan;
  CAUCUS_TRY(Scaling scaling, served_scaling(plan));
  report::StoredModel model;
  model.algorithm = run.options.algorithms.front();
  model.loss = plan.loss;
  model.labels = labels_of(plan, scaling);
  model.class_names = plan.columns->classes;
  model.seed = plan.seed;
  model.sample_size = plan.sample_size;
  model.feature_names = feature_names(plan, scaling);
  model.encodings = plan.columns->encodings;
  if (model.encodings.empty()) model.encodings = plain_encodings(scaling, {{}, scaling.columns});
  model.scaling = std::move(scaling);
  model.lags = plan.columns->lags;
  model.spaces = plan.spaces;
  model.learned = learned.model;
  model.run = run_text(federation.run());
  std::vector<ClientResult> clients(federation.members().size());
  for (std::size_t j = 0; j < clients.size(); ++j) {
    clients[j].name = federation.members()[j].name;
    clients[j].recent = learned.telemetry.recent_score(j);
  }
  const double forgetting = plan.statistics ? run.options.schedule.fixed_share : 0.0;
  model.scores = report::client_scores(clients, forgetting);
  return model;
}

}  // namespace caucus::cli
