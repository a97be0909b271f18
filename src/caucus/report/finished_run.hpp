// A finished run, the table, the forecasts and the JSON that are made from it, and the record that
// is read from that JSON. Reading checks that lists that belong together have the same length.
// Lists that a result does not have are read as empty, and numbers as NaN.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "caucus/data/columns.hpp"
#include "caucus/data/dataset.hpp"
#include "caucus/report/json.hpp"
#include "caucus/simulation/summary.hpp"

namespace caucus::report {

/// Facts about the data. A server has no data itself, but knows these facts about its clients'.
struct DataFacts {
  std::string name;  ///< the file, the directory or the store
  std::size_t rows = 0;
  std::vector<std::string> feature_names;  ///< empty if the file names no columns
  Scaling scaling;
  std::size_t clipped = 0;               ///< rows with a value outside the given ranges
  std::vector<Encoding> encodings = {};  ///< how each column became numbers, where that is known
  std::size_t lags = 0;                  ///< past rows among the features

  [[nodiscard]] std::size_t features() const { return scaling.feature_columns.size(); }
};
inline DataFacts facts_of(const Dataset& data) {
  return {data.name(),    data.rows(),      data.feature_names(), data.scaling(),
          data.clipped(), data.encodings(), data.lags()};
}

struct FinishedRun {
  std::string version;  ///< of the program
  Json config;          ///< the complete configuration, with the command line
  const ExperimentOptions& options;
  const DataFacts& data;
  const ExperimentResult& result;
  LabelConvention labels = LabelConvention::none;
  std::vector<std::string> class_names = {};  ///< if each class has an output
};

/// Returns "adaptive", "theory", ..., or "own" for a baseline, which has its own rates.
std::string schedule_of(const FinishedRun& run, const AlgorithmResult& result);

std::string result_table(const FinishedRun& run);
/// Returns CSV with every prediction of the first repetition in original units, and the true
/// values.
std::string forecasts_csv(const FinishedRun& run);
/// Writes the result, in the form that the contract states.
Json result_json(const FinishedRun& run);

inline constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

struct Spread {
  double mean = kUnknown, sd = kUnknown;
};

struct CurveRecord {
  std::vector<double> round, loss, loss_sd, regret, regret_sd;
  std::vector<std::vector<double>> probabilities;  ///< of every space, at each round
};

/// Losses of a client per example; see ClientResult.
struct ClientRecord {
  std::string name;
  double given = kUnknown, federated = kUnknown, alone = kUnknown, persistence = kUnknown;
};

struct AlgorithmRecord {
  std::string algorithm, schedule;
  std::string label;     ///< the name of the algorithm, made unique
  std::size_t look = 0;  ///< colour and marker in charts: its position in the run
  double sample_size = kUnknown, rounds = kUnknown, uploads = kUnknown;
  Spread mse, loss, seconds;
  double accuracy = kUnknown, log_loss = kUnknown;
  double upload_bits = kUnknown, download_bits = kUnknown;
  double diverged = 0.0;  ///< repetitions
  std::vector<std::string> spaces;
  std::vector<double> probabilities;
  std::vector<double> regret;         ///< against each space; empty if not requested
  std::vector<ClientRecord> clients;  ///< those with a personal layer
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

/// The record refers to `json`.
Result<RunRecord> read_run(const Json& json);

}  // namespace caucus::report
