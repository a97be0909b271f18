#include <algorithm>

#include "caucus/core/losses/bounds.hpp"
#include "caucus/report/finished_run.hpp"
#include "caucus/report/statistics.hpp"

namespace caucus::report {
namespace {

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
        lower_bound_noncooperative(M, T, K, static_cast<double>(run.result.sampled));
  }
  return bounds;
}

Json algorithm_json(const FinishedRun& run, const AlgorithmResult& result,
                    const std::vector<std::string>& spaces) {
  Json json;
  json["algorithm"] = result.algorithm;
  json["schedule"] = schedule_of(run, result);
  if (result.second_order > 0) json["second_order_spaces"] = result.second_order;
  json["sample"] = run.result.sampled;
  json["rounds"] = run.result.rounds;
  json["uploads"] = run.result.uploads;
  json["mse"] = spread(result.mse);
  json["mse"]["values"] = result.mse;
  json["diverged"] = result.diverged;
  json["loss"] = spread(result.loss);
  if (!result.accuracy.empty()) {
    json["accuracy"] = mean(result.accuracy);
    json["log_loss"] = mean(result.log_loss);
  }
  json["per_client_loss"] = result.per_client_loss;
  json["seconds"] = spread(result.seconds);
  json["seconds"]["min"] = *std::min_element(result.seconds.begin(), result.seconds.end());
  json["upload_bits_per_client_round"] = result.upload_bits_per_client_round;
  json["download_bits_per_client_round"] = result.download_bits_per_client_round;
  json["spaces"] = spaces;
  json["probabilities"] = result.probabilities;
  if (!result.regret.empty()) {
    Json list = Json::array();
    for (std::size_t i = 0; i < spaces.size(); ++i) {
      list.push_back({{"space", spaces[i]},
                      {"best_loss", result.best_loss[i]},
                      {"gap", result.best_gap[i]},
                      {"regret", result.regret[i]}});
    }
    json["regret"] = std::move(list);
    json["bounds"] = bounds_json(run);
  }
  json["curve"] = curve_json(result.curve);
  return json;
}

}  // namespace

Json result_json(const FinishedRun& run) {
  std::vector<std::string> spaces;
  for (const Space& space : run.options.spaces) spaces.push_back(space.name());
  Json json;
  json["version"] = run.version;
  json["config"] = run.config;
  json["data"] = {{"rows", run.data.rows},
                  {"used", run.result.used},
                  {"features", run.data.features()},
                  {"clients", run.result.clients}};
  json["results"] = Json::array();
  for (const AlgorithmResult& result : run.result.results) {
    json["results"].push_back(algorithm_json(run, result, spaces));
  }
  // Per example, like "loss" and, for the square loss, "mse".
  Json yardsticks = Json::object();
  if (run.result.mean_predictor) yardsticks["mean_predictor"] = *run.result.mean_predictor;
  if (run.options.regret) {
    Json best = Json::array();
    for (const double loss : run.result.best_loss) {
      best.push_back(loss / static_cast<double>(run.result.used));
    }
    yardsticks["best_in_hindsight"] = std::move(best);
  }
  json["yardsticks"] = std::move(yardsticks);
  return json;
}

}  // namespace caucus::report
