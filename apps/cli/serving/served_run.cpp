#include "serving/served_run.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <optional>
#include <utility>

#include "caucus/core/simd/kernels.hpp"
#include "caucus/data/columns.hpp"
#include "caucus/data/files/byte_source.hpp"
#include "caucus/data/ranges.hpp"
#include "caucus/report/json.hpp"
#include "caucus/simulation/summary.hpp"
#include "options/config_file.hpp"

namespace caucus::cli {
namespace {

constexpr int kPlanVersion = 2;  ///< 2: the plan always states J

Status can_be_served(const RunConfig& config) {
  const std::string& algorithm = config.algorithms.front();
  if (config.algorithms.size() > 1) {
    return usage_error("algorithm.name",
                       std::to_string(config.algorithms.size()) + " algorithms are named",
                       "expected fomd-oms alone: clients learn only once");
  }
  if (algorithm != "fomd-oms") {
    return usage_error("algorithm.name", "'" + algorithm + "' cannot be served",
                       "expected fomd-oms; others can be simulated with caucus run");
  }
  if (config.repeats != 1) {
    return usage_error("run.repeats", std::to_string(config.repeats),
                       "expected 1: clients learn only once");
  }
  if (config.regret) {
    return usage_error("run.regret", "the exact regret needs all clients' data in one place",
                       "expected no regret, or caucus run");
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
  FederationSettings settings;
  SharedPlan& plan = settings.plan;
  plan.spaces = options.spaces;
  plan.loss = options.loss;
  plan.seed = options.seed;
  plan.sample_size = options.sample_size;
  plan.arithmetic = std::move(arithmetic);
  plan.label_delay = server.label_delay;
  plan.columns = std::move(columns);
  CAUCUS_TRY(const auto scaling, known_scaling(plan));
  if (scaling) {
    plan.features = scaling->feature_columns.size();
    plan.experts = scaling->expert_columns.size();
  }
  if (server.features) {
    if (scaling && *server.features != plan.features) {
      return usage_error("server.features", std::to_string(*server.features),
                         "expected " + std::to_string(plan.features) + ", as data.scale_from has");
    }
    plan.features = *server.features;
    for (const Space& space : plan.spaces) {
      if (space.kind != SpaceKind::expert) continue;
      plan.experts = std::max<std::size_t>(plan.experts, space.expert + 1);
    }
  }
  plan.statistics = learns_from_sums("fomd-oms", options, plan.features, server.clients.size());
  plan.hides_examples = plan.statistics && options.min_batch == 0;
  plan.personal = plan.statistics && options.personal;
  plan.rounds_per_upload = upload_rule(options, plan.features, plan.statistics).rounds;
  settings.problem = static_cast<const LearningOptions&>(options);
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

Result<ServedRun> make(const RunConfig& config, const ServerConfig& server,
                       std::optional<Ranges> ranges, std::string arithmetic) {
  ServedRun run{without_simulation(config), server, {}, {}};
  CAUCUS_CHECK(can_be_served(config));
  CAUCUS_TRY(run.options, run.config.experiment_without_data());
  run.options.clients = server.clients.size();
  run.options.partition.kind = PartitionSpec::Kind::files;
  RunConfig ranges_apart = run.config;
  ranges_apart.scale_from.clear();
  CAUCUS_TRY(ReadOptions columns, ranges_apart.read_options());
  columns.ranges = std::move(ranges);
  CAUCUS_TRY(run.federation,
             federation_settings(run.options, server, std::move(columns), std::move(arithmetic)));
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

/// Returns how the columns of a file become an example. If that is unknown, they are the features,
/// the experts' predictions and the target.
Result<Scaling> served_scaling(const SharedPlan& plan) {
  CAUCUS_TRY(auto known, known_scaling(plan));
  return known ? std::move(*known) : unscaled(plan);
}

}  // namespace

Result<ServedRun> make_served_run(const RunConfig& config, const ServerConfig& server) {
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

std::string plan_text(const ServedRun& run) {
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

Result<ServedRun> parse_plan(const std::string& text, const std::string& where) {
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

Result<ServedResult> served_result(const Federation& federation, const ServedRun& run,
                                   std::string name, double seconds) {
  const SharedPlan& plan = federation.settings().plan;
  CAUCUS_TRY(Scaling scaling, served_scaling(plan));
  ServedResult served;
  served.labels = labels_of(plan, scaling);
  served.data = {std::move(name), 0, feature_names(plan, scaling), std::move(scaling)};
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
  return served;
}

Result<report::StoredModel> served_model(const Federation& federation, const ServedRun& run,
                                         const LearnedState& learned) {
  const SharedPlan& plan = federation.settings().plan;
  CAUCUS_TRY(Scaling scaling, served_scaling(plan));
  report::StoredModel model;
  model.algorithm = run.options.algorithms.front();
  model.loss = plan.loss;
  model.labels = labels_of(plan, scaling);
  model.seed = plan.seed;
  model.sample_size = plan.sample_size;
  model.feature_names = feature_names(plan, scaling);
  model.scaling = std::move(scaling);
  model.spaces = plan.spaces;
  model.learned = learned.model;
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
