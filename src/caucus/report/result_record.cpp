#include "caucus/report/result_record.hpp"

#include <algorithm>
#include <cmath>

#include "caucus/report/json.hpp"

namespace caucus::report {
namespace {

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

std::vector<double> read_regret(JsonReader& in) {
  std::vector<double> regret;
  const Json* list = in.list("regret");
  if (list == nullptr) return regret;
  for (std::size_t i = 0; i < list->size(); ++i) {
    regret.push_back(in.element("regret", (*list)[i], i).number("regret"));
  }
  return regret;
}

AlgorithmRecord read_algorithm(JsonReader in) {
  AlgorithmRecord r;
  r.algorithm = in.text("algorithm");
  if (r.algorithm.empty()) in.fail("algorithm", "is missing");
  r.schedule = in.text("schedule");
  r.sample = in.number("sample");
  r.rounds = in.number("rounds");
  r.uploads = in.number("uploads");
  r.mse = read_spread(in.object("mse"));
  r.loss = read_spread(in.object("loss"));
  r.seconds = read_spread(in.object("seconds"));
  r.accuracy = in.number("accuracy");
  r.log_loss = in.number("log_loss");
  r.upload_bits = in.number("upload_bits_per_client_round");
  r.download_bits = in.number("download_bits_per_client_round");
  const double diverged = in.number("diverged");
  if (diverged > 0.0) r.diverged = diverged;
  r.spaces = in.texts("spaces");
  r.probabilities = in.numbers("probabilities");
  in.expect_size("probabilities", r.probabilities.size(), r.spaces.size());
  r.regret = read_regret(in);
  in.expect_size("regret", r.regret.size(), r.spaces.size());
  r.curve = read_curve(in.object("curve"), r.spaces.size());
  JsonReader bounds = in.object("bounds");
  r.bound_any = bounds.number("any");
  r.bound_noncooperative = bounds.number("noncooperative");
  return r;
}

/// Labels algorithms by name, and by schedule and then number if names repeat.
void label_results(std::vector<AlgorithmRecord>& results) {
  for (AlgorithmRecord& r : results) r.label = r.algorithm;
  const auto repeats = [&](const AlgorithmRecord& r) {
    return std::count_if(results.begin(), results.end(),
                         [&](const AlgorithmRecord& other) { return other.label == r.label; }) > 1;
  };
  std::vector<std::string> labels;
  labels.reserve(results.size());
  for (const AlgorithmRecord& r : results) {
    labels.push_back(repeats(r) && !r.schedule.empty() ? r.algorithm + ", " + r.schedule
                                                       : r.algorithm);
  }
  for (std::size_t i = 0; i < results.size(); ++i) results[i].label = labels[i];
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (repeats(results[i])) labels[i] += " (" + std::to_string(i + 1) + ")";
  }
  for (std::size_t i = 0; i < results.size(); ++i) results[i].label = labels[i];
}

/// Returns the last part of a path with either kind of slash.
std::string file_name(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  const std::size_t slash = path.find_last_of("/\\");
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

/// A configuration is shown as it is; only the members that charts need must have the right type.
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
  const double dropout = in.object("federation").number("dropout");
  if (dropout > 0.0) run.dropout = dropout;
}

}  // namespace

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
  const Json* results = in.list("results");
  if (results == nullptr || results->empty()) {
    in.fail("results", "are missing");
  } else if (results->size() > kMostResults) {
    in.fail("results", "are more than " + std::to_string(kMostResults));
  } else {
    for (std::size_t i = 0; i < results->size() && !error; ++i) {
      run.results.push_back(read_algorithm(in.element("results", (*results)[i], i)));
    }
  }
  if (error) return std::move(*error);
  in.expect_size("yardsticks.best_in_hindsight", run.best_in_hindsight.size(),
                 run.results.front().spaces.size());
  if (error) return std::move(*error);
  label_results(run.results);
  return run;
}

}  // namespace caucus::report
