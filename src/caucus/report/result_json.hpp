// The JSON of a run's result, written and read here and nowhere else. Reading checks that lists
// which belong together have the same length; what a result does not hold is empty, or not a
// number.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "caucus/report/finished_run.hpp"
#include "caucus/report/json.hpp"
#include "caucus/result.hpp"

namespace caucus::report {

inline constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

struct Spread {
  double mean = kUnknown, sd = kUnknown;
};

struct CurveRecord {
  std::vector<double> round, loss, loss_sd, regret, regret_sd;
  std::vector<std::vector<double>> probabilities;  ///< of every space, at each round
};

struct AlgorithmRecord {
  std::string algorithm, schedule;
  std::string label;  ///< the name of the algorithm, made unique
  double sample = kUnknown, rounds = kUnknown, uploads = kUnknown;
  Spread mse, loss, seconds;
  double accuracy = kUnknown, log_loss = kUnknown;
  double upload_bits = kUnknown, download_bits = kUnknown;
  double diverged = 0.0;  ///< repetitions
  std::vector<std::string> spaces;
  std::vector<double> probabilities;
  std::vector<double> regret;  ///< against each space; empty if not requested
  CurveRecord curve;
  double bound_any = kUnknown, bound_noncooperative = kUnknown;
};

struct RunRecord {
  std::string version, data_name, loss;
  double rows = kUnknown, used = kUnknown, features = kUnknown, clients = kUnknown;
  double repeats = kUnknown, dropout = 0.0;
  std::vector<AlgorithmRecord> results;
  double best_constant = kUnknown;
  std::vector<double> best_in_hindsight;  ///< per example, for each space
  const Json* config = nullptr;  ///< points into the result, since copying deep nesting recurses

  [[nodiscard]] bool is_square() const { return loss.empty() || loss == "square"; }
  /// The number that algorithms are compared by.
  [[nodiscard]] const Spread& score(const AlgorithmRecord& result) const {
    return is_square() ? result.mse : result.loss;
  }
  [[nodiscard]] std::string score_name() const { return is_square() ? "MSE" : loss + " loss"; }
  /// Returns whether every client has an example in every round, so that sums over rounds and
  /// clients are sums over examples.
  [[nodiscard]] bool all_take_part() const;
};

/// Writes the result, in the form that the contract states.
Json result_json(const FinishedRun& run);
/// The record refers to `json`.
Result<RunRecord> read_run(const Json& json);

}  // namespace caucus::report
