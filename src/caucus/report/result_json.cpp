#include "caucus/report/finished_run.hpp"

#include <algorithm>
#include <cmath>

#include "caucus/core/losses/bounds.hpp"
#include "caucus/report/statistics.hpp"

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

/// Writes the mean losses of the clients and, unless there are too many, their records.
void add_clients(const AlgorithmResult& result, Json& json) {
  constexpr std::size_t kMostRecords = 10'000;
  for (const ClientResult& client : result.clients) json["per_client_loss"].push_back(client.given);
  if (result.clients.size() > kMostRecords) return;
  for (const ClientResult& client : result.clients) {
    Json record = {{"name", client.name},
                   {"examples", client.examples},
                   {"uploads", client.uploads},
                   {"given", client.given}};
    if (client.federated) {
      record["federated"] = *client.federated;
      if (client.alone) record["alone"] = *client.alone;
      record["persistence"] = *client.persistence;
    }
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
  if (!result.federated_mse.empty()) json["federated_mse"] = spread(result.federated_mse);
  add_clients(result, json);
  json["seconds"] = spread(result.seconds);
  json["seconds"]["min"] = *std::min_element(result.seconds.begin(), result.seconds.end());
  json["upload_bits_per_client_round"] = result.upload_bits_per_client_round;
  json["download_bits_per_client_round"] = result.download_bits_per_client_round;
  json["spaces"] = spaces;
  json["probabilities"] = result.probabilities;
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
  r.accuracy = in.number("accuracy");
  r.log_loss = in.number("log_loss");
  r.upload_bits = in.number("upload_bits_per_client_round");
  r.download_bits = in.number("download_bits_per_client_round");
  r.diverged = std::fmax(in.number("diverged"), 0.0);  // 0 if unknown
  r.spaces = in.texts("spaces");
  r.probabilities = in.numbers("probabilities");
  in.expect_size("probabilities", r.probabilities.size(), r.spaces.size());
  in.for_each("regret",
              [&](JsonReader space, std::size_t) { r.regret.push_back(space.number("regret")); });
  in.expect_size("regret", r.regret.size(), r.spaces.size());
  in.for_each("clients", [&](JsonReader client, std::size_t) {
    if (client.member("federated") == nullptr) return;
    r.clients.push_back({client.text("name"), client.number("given"), client.number("federated"),
                         client.number("alone"), client.number("persistence")});
  });
  r.curve = read_curve(in.object("curve"), r.spaces.size());
  JsonReader bounds = in.object("bounds");
  r.bound_any = bounds.number("any");
  r.bound_noncooperative = bounds.number("noncooperative");
  return r;
}

/// Labels algorithms by name and, where names repeat, by schedule and last by number.
void label_results(std::vector<AlgorithmRecord>& results) {
  for (AlgorithmRecord& r : results) r.label = r.algorithm;
  const auto extend_repeated = [&](const auto& suffix) {
    std::vector<std::string> labels;
    for (const AlgorithmRecord& r : results) {
      const auto same = [&](const AlgorithmRecord& other) { return other.label == r.label; };
      const bool repeated = std::count_if(results.begin(), results.end(), same) > 1;
      labels.push_back(r.label + (repeated ? suffix(r, labels.size()) : ""));
    }
    for (std::size_t i = 0; i < results.size(); ++i) results[i].label = labels[i];
  };
  extend_repeated([](const AlgorithmRecord& r, std::size_t) {
    return r.schedule.empty() ? "" : ", " + r.schedule;
  });
  extend_repeated(
      [](const AlgorithmRecord&, std::size_t i) { return " (" + std::to_string(i + 1) + ")"; });
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
  return json;
}

bool RunRecord::all_take_part() const {
  return dropout == 0.0 && !results.empty() && used == clients * results.front().rounds;
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
