#include "caucus/report/finished_run.hpp"

#include <algorithm>
#include <cmath>

#include "caucus/algorithms/any_algorithm.hpp"
#include "caucus/core/losses/bounds.hpp"
#include "caucus/report/answer/answer.hpp"
#include "caucus/report/statistics.hpp"
#include "caucus/report/words.hpp"

namespace caucus::report {
namespace {

// --- writing ------------------------------------------------------------------------------------

Json spread(const std::vector<double>& values) {
  return {{"mean", mean(values)}, {"sd", standard_deviation(values)}};
}

Json curve_json(const Curve& curve) {
  Json json = {{"round", curve.rounds}, {"loss", curve.loss}, {"loss_sd", curve.loss_sd}};
  if (!curve.regret.empty()) {
    json["regret"] = curve.regret;
    json["regret_sd"] = curve.regret_sd;
  }
  json["probabilities"] = curve.probabilities;
  return json;
}

/// Returns the lower bounds of the theory that have explicit constants, summed over clients like
/// the regret, for losses in [0, 1].
Json bounds_json(const FinishedRun& run) {
  const auto M = static_cast<double>(run.result.clients);
  const auto T = static_cast<double>(run.result.rounds);
  const auto K = static_cast<double>(run.options.spaces.size());
  Json bounds = {{"any", lower_bound_any(M, T, K)}};
  if (K >= 5 && K <= T) {  // required by its proof
    bounds["noncooperative"] =
        lower_bound_noncooperative(M, T, K, static_cast<double>(run.result.sample_size));
  }
  return bounds;
}

/// Returns how much one scaled unit of the target is in its own units.
double unit_of(const Scaling& scaling) {
  return scaling.columns == 0 ? 1.0 : scaling.target_original(1.0) - scaling.target_original(0.0);
}

/// Returns "adaptive", "theory", ..., or "own" for a baseline, which has its own rates.
std::string schedule_of(const FinishedRun& run, const AlgorithmResult& result) {
  if (is_baseline(result.algorithm)) return "own";
  const ScheduleKind kind = run.options.schedule.kind;
  const bool from_gradients = kind == ScheduleKind::adaptive && !result.from_sums;
  return word_of(kSchedules, from_gradients ? ScheduleKind::adaptive_first_order : kind);
}

Json baselines_json(const AlgorithmResult& result) {
  Json json = Json::object();
  const auto add = [&](const char* name, const std::vector<double>& values) {
    if (!values.empty()) json[name] = mean(values);
  };
  add("constant", result.constant);
  add("persistence", result.persistence);
  add("accuracy", result.constant_accuracy);
  add("log_loss", result.constant_log_loss);
  return json;
}

/// Writes the mean losses of the clients and, unless there are too many, their records.
void add_clients(const AlgorithmResult& result, double unit, Json& json) {
  constexpr std::size_t kMostRecords = 10'000;
  for (const ClientResult& client : result.clients) json["per_client_loss"].push_back(client.given);
  if (result.clients.size() > kMostRecords) return;
  for (const ClientResult& client : result.clients) {
    Json record = {{"name", client.name},
                   {"examples", client.examples},
                   {"uploads", client.uploads},
                   {"given", client.given}};
    const auto add = [&](const char* name, const std::optional<double>& value) {
      if (value) record[name] = *value;
    };
    add("federated", client.federated);
    add("alone", client.alone);
    add("persistence", client.persistence);
    add("constant", client.constant);
    if (client.mse) record["rmse"] = std::sqrt(*client.mse) * unit;
    add("accuracy", client.accuracy);
    add("log_loss", client.log_loss);
    if (client.recent) {
      record["recent"] = {{"examples", client.recent->examples},
                          {"error", client.recent->error},
                          {"constant", client.recent->constant}};
    }
    json["clients"].push_back(std::move(record));
  }
}

Json algorithm_json(const FinishedRun& run, const AlgorithmResult& result,
                    const std::vector<std::string>& spaces) {
  Json json = {{"algorithm", result.algorithm}, {"schedule", schedule_of(run, result)}};
  json["sample"] = run.result.sample_size;
  json["rounds"] = run.result.rounds;
  json["uploads"] = result.uploads;
  json["mse"] = spread(result.mse);
  json["mse"]["values"] = result.mse;
  json["diverged"] = result.diverged;
  json["loss"] = spread(result.loss);
  if (!result.accuracy.empty()) {
    json["accuracy"] = mean(result.accuracy);
    json["log_loss"] = mean(result.log_loss);
  }
  for (std::size_t c = 0; c < result.classes.size(); ++c) {
    const ClassResult& one = result.classes[c];
    json["classes"].push_back({{"name", run.class_names[c]},
                               {"examples", one.examples},
                               {"predicted", one.predicted},
                               {"right", one.right}});
  }
  const double unit = unit_of(run.data.scaling);
  if (!result.constant.empty()) {  // not for classes, whose outputs are scores
    const double error = mean(result.mse);
    json["rmse"] = std::sqrt(error) * unit;
    if (!result.mae.empty()) json["mae"] = mean(result.mae) * unit;
    if (const double constant = mean(result.constant); constant > 0.0) {
      json["r2"] = 1.0 - error / constant;
    }
  }
  json["baselines"] = baselines_json(result);
  if (!result.federated_mse.empty()) json["federated_mse"] = spread(result.federated_mse);
  add_clients(result, unit, json);
  json["seconds"] = spread(result.seconds);
  json["seconds"]["min"] = *std::min_element(result.seconds.begin(), result.seconds.end());
  json["upload_bits_per_client_round"] = result.upload_bits_per_client_round;
  json["download_bits_per_client_round"] = result.download_bits_per_client_round;
  json["spaces"] = spaces;
  json["probabilities"] = result.probabilities;
  json["wins"] = result.wins;
  if (!result.regret.empty()) {
    for (std::size_t i = 0; i < spaces.size(); ++i) {
      json["regret"].push_back({{"space", spaces[i]},
                                {"best_loss", result.best_loss[i]},
                                {"gap", result.best_gap[i]},
                                {"regret", result.regret[i]}});
      if (result.regret_examples.empty()) continue;
      json["regret"].back()["examples"] = result.regret_examples[i];
      json["regret"].back()["exact"] = result.regret_exact && std::isfinite(result.regret[i]);
    }
    json["bounds"] = bounds_json(run);
  }
  json["curve"] = curve_json(result.curve);
  return json;
}

// --- reading ------------------------------------------------------------------------------------

Spread read_spread(JsonReader in) { return {in.number("mean"), in.number("sd")}; }

CurveRecord read_curve(JsonReader in, std::size_t spaces) {
  CurveRecord curve;
  curve.round = in.numbers("round");
  curve.loss = in.numbers("loss");
  curve.loss_sd = in.numbers("loss_sd");
  curve.regret = in.numbers("regret");
  curve.regret_sd = in.numbers("regret_sd");
  curve.probabilities = in.rows_of_numbers("probabilities");
  const std::size_t n = curve.round.size();
  in.expect_size("loss", curve.loss.size(), n, false);
  in.expect_size("loss_sd", curve.loss_sd.size(), n);
  in.expect_size("regret", curve.regret.size(), n);
  in.expect_size("regret_sd", curve.regret_sd.size(), curve.regret.size());
  in.expect_size("probabilities", curve.probabilities.size(), n);
  for (const auto& row : curve.probabilities) {
    in.expect_size("probabilities", row.size(), spaces, false);
  }
  return curve;
}

AlgorithmRecord read_algorithm(JsonReader in) {
  AlgorithmRecord r;
  r.algorithm = in.text("algorithm");
  if (r.algorithm.empty()) in.fail("algorithm", "is missing");
  r.schedule = in.text("schedule");
  r.sample_size = in.number("sample");
  r.rounds = in.number("rounds");
  r.uploads = in.number("uploads");
  r.mse = read_spread(in.object("mse"));
  r.loss = read_spread(in.object("loss"));
  r.seconds = read_spread(in.object("seconds"));
  r.rmse = in.number("rmse");
  r.mae = in.number("mae");
  r.r2 = in.number("r2");
  JsonReader baselines = in.object("baselines");
  r.baselines = {baselines.number("constant"), baselines.number("persistence"),
                 baselines.number("accuracy"), baselines.number("log_loss")};
  r.accuracy = in.number("accuracy");
  r.log_loss = in.number("log_loss");
  r.upload_bits = in.number("upload_bits_per_client_round");
  r.download_bits = in.number("download_bits_per_client_round");
  r.diverged = std::fmax(in.number("diverged"), 0.0);  // 0 if unknown
  r.spaces = in.texts("spaces");
  r.probabilities = in.numbers("probabilities");
  in.expect_size("probabilities", r.probabilities.size(), r.spaces.size());
  r.wins = in.numbers("wins");
  in.expect_size("wins", r.wins.size(), r.spaces.size());
  in.for_each("regret", [&](JsonReader space, std::size_t) {
    r.regret.push_back(space.number("regret"));
    r.best_loss.push_back(space.number("best_loss"));
    r.regret_examples = std::fmax(r.regret_examples, space.number("examples"));
    if (!std::isnan(r.regret.back()) && space.member("exact") != nullptr) {
      r.regret_exact = space.flag("exact");
    }
  });
  in.expect_size("regret", r.regret.size(), r.spaces.size());
  in.for_each("classes", [&](JsonReader one, std::size_t) {
    r.classes.push_back(
        {one.text("name"), one.number("examples"), one.number("predicted"), one.number("right")});
  });
  in.for_each("clients", [&](JsonReader client, std::size_t) {
    r.clients.push_back({client.text("name"), client.number("examples"), client.number("given"),
                         client.number("federated"), client.number("alone"),
                         client.number("persistence"), client.number("constant"),
                         client.number("rmse"), client.number("accuracy"),
                         client.number("log_loss")});
  });
  r.curve = read_curve(in.object("curve"), r.spaces.size());
  JsonReader bounds = in.object("bounds");
  r.bound_any = bounds.number("any");
  r.bound_noncooperative = bounds.number("noncooperative");
  return r;
}

/// The last part of a path, of either kind of slash.
std::string file_name(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  const std::size_t slash = path.find_last_of("/\\");
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

/// A configuration is shown as it is; only what the charts need must be of the right kind.
void read_config(JsonReader in, RunRecord& run) {
  JsonReader data = in.object("data");
  const Json* file = data.member("file");
  const Json* directory = data.member("clients_from");
  for (const Json* name : {file, directory}) {
    if (name != nullptr && name->is_string() && !name->get<std::string>().empty()) {
      run.data_name = file_name(name->get<std::string>());
    }
  }
  run.loss = in.object("algorithm").text("loss");
  run.repeats = in.object("run").number("repeats");
  run.fixed_share = std::fmax(in.object("schedule").number("fixed_share"), 0.0);
  run.personal = in.object("algorithm").member("personal") == nullptr ||
                 in.object("algorithm").flag("personal");
  const Json* min_batch = in.object("algorithm").member("min_batch");
  run.hides_examples = min_batch != nullptr && *min_batch == "auto";
  run.dropout = std::fmax(in.object("federation").number("dropout"), 0.0);  // 0 if unknown
}

}  // namespace

Json result_json(const FinishedRun& run) {
  std::vector<std::string> spaces;
  for (const Space& space : run.options.spaces) spaces.push_back(space.name());
  Json json = {{"version", run.version},
               {"config", run.config},
               {"data",
                {{"rows", run.data.rows},
                 {"used", run.result.used},
                 {"features", run.data.features()},
                 {"clients", run.result.clients}}},
               {"results", Json::array()},
               {"yardsticks", Json::object()}};
  if (!run.data.target.empty()) json["data"]["target"] = run.data.target;
  json["data"]["target_unit"] = unit_of(run.data.scaling);
  json["data"]["in_order"] = run.data.in_order;
  if (run.data.clipped > 0) json["data"]["clipped"] = run.data.clipped;
  for (const AlgorithmResult& result : run.result.results) {
    json["results"].push_back(algorithm_json(run, result, spaces));
  }
  // Per example, like "loss" and, for the square loss, "mse".
  Json& yardsticks = json["yardsticks"];
  if (run.result.mean_predictor) yardsticks["mean_predictor"] = *run.result.mean_predictor;
  if (knows_all(run.result.best_loss)) {
    for (const double loss : run.result.best_loss) {
      yardsticks["best_in_hindsight"].push_back(loss / static_cast<double>(run.result.used));
    }
  }
  if (const auto record = read_run(json); record.ok()) {
    const Answer answer = answer_of(*record);
    json["answer"] = answer.text;
    json["advice"] = answer.advice;
  }
  return json;
}

Result<RunRecord> read_run(const Json& json) {
  constexpr std::size_t kMostResults = 64;
  std::optional<Error> error;
  JsonReader in(json, "", error);
  RunRecord run;
  run.version = in.text("version");
  run.config = in.member("config");
  read_config(in.object("config"), run);
  JsonReader data = in.object("data");
  run.rows = data.number("rows");
  run.used = data.number("used");
  run.features = data.number("features");
  run.clients = data.number("clients");
  run.target = data.text("target");
  run.unit = data.number("target_unit");
  run.in_order = data.member("in_order") != nullptr && data.flag("in_order");
  JsonReader yardsticks = in.object("yardsticks");
  run.best_constant = yardsticks.number("mean_predictor");
  run.best_in_hindsight = yardsticks.numbers("best_in_hindsight");
  in.for_each("results", [&](JsonReader result, std::size_t i) {
    if (i >= kMostResults) {
      return in.fail("results", "are more than " + std::to_string(kMostResults));
    }
    run.results.push_back(read_algorithm(std::move(result)));
    run.results.back().look = i;
  });
  if (run.results.empty()) in.fail("results", "are missing");
  if (!error) {
    in.expect_size("yardsticks.best_in_hindsight", run.best_in_hindsight.size(),
                   run.results.front().spaces.size());
  }
  if (error) return std::move(*error);
  label_results(run.results);
  return run;
}

}  // namespace caucus::report
