// A finished run, the text, the forecasts and the JSON that are made from it, and the record that
// is read from that JSON, from which the text and the page are made, so that all three agree.
// Reading checks that lists that belong together have the same length. Lists that a result does not
// have are read as empty, and numbers as NaN.
#pragma once

#include <cmath>
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
  std::string target = {};               ///< the name of the target; empty if it has none
  bool in_order = false;  ///< whether clients use their rows in the order of their files

  [[nodiscard]] std::size_t features() const { return scaling.feature_columns.size(); }
};
inline DataFacts facts_of(const Dataset& data) {
  return {data.name(),    data.rows(),      data.feature_names(), data.scaling(),
          data.clipped(), data.encodings(), data.lags(),          data.target_name()};
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

std::string result_text(const FinishedRun& run, std::size_t width = 80);
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
  double examples = kUnknown;
  double given = kUnknown, federated = kUnknown, alone = kUnknown, persistence = kUnknown;
  double constant = kUnknown;
  double rmse = kUnknown;  ///< in the units of the target
  double accuracy = kUnknown, log_loss = kUnknown;

  /// Returns whether it is known what the client would have lost alone.
  [[nodiscard]] bool compares() const { return alone > 0.0 && alone != federated; }
};

/// How often a class came, was predicted, and was right.
struct ClassRecord {
  std::string name;
  double examples = kUnknown, predicted = kUnknown, right = kUnknown;
};

/// What trivial forecasts would have lost.
struct BaselineRecord {
  double constant = kUnknown, persistence = kUnknown;  ///< squared errors
  double accuracy = kUnknown, log_loss = kUnknown;     ///< of the constant, for classes
};

struct AlgorithmRecord {
  std::string algorithm, schedule;
  std::string label;     ///< the name of the algorithm, made unique
  std::size_t look = 0;  ///< colour and marker in charts: its position in the run
  double sample_size = kUnknown, rounds = kUnknown, uploads = kUnknown;
  Spread mse, loss, seconds;
  double rmse = kUnknown, mae = kUnknown, r2 = kUnknown;  ///< in the units of the target
  double accuracy = kUnknown, log_loss = kUnknown;
  BaselineRecord baselines;
  double upload_bits = kUnknown, download_bits = kUnknown;
  double diverged = 0.0;  ///< repetitions
  std::vector<std::string> spaces;
  std::vector<double> probabilities;
  std::vector<double> wins;               ///< repetitions in which a space ended as the likeliest
  std::vector<double> regret, best_loss;  ///< against each space; empty if not requested
  double regret_examples = kUnknown;      ///< of a served run
  bool regret_exact = true;
  std::vector<ClientRecord> clients;
  std::vector<ClassRecord> classes;  ///< if each has an output
  CurveRecord curve;
  double bound_any = kUnknown, bound_noncooperative = kUnknown;
};

struct RunRecord {
  std::string version, data_name, loss;
  double rows = kUnknown, used = kUnknown, features = kUnknown, clients = kUnknown;
  std::string target;      ///< its name, if it has one
  double unit = kUnknown;  ///< of scaled targets, in the units of the target
  bool in_order = false;   ///< whether clients use their rows in the order of their files
  double fixed_share = 0.0;
  bool personal = true;
  bool hides_examples = false;  ///< by replacing rare values
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
  [[nodiscard]] bool is_classification() const {
    return !results.empty() && results.front().accuracy >= 0.0;
  }
  /// Returns the result with the least score, or null if all are unknown.
  [[nodiscard]] const AlgorithmRecord* best() const;
  /// Returns a mean loss as it is shown: that of the square loss as a root in the units of the
  /// target.
  [[nodiscard]] double shown(double mean_loss) const {
    return is_square() && !is_classification() && std::isfinite(unit) ? in_units(mean_loss)
                                                                      : mean_loss;
  }
  /// Returns the share by which what is shown of a client's loss is lower than alone; NaN if that
  /// is unknown.
  [[nodiscard]] double gain(const ClientRecord& client) const {
    return client.compares() ? 1.0 - shown(client.given) / shown(client.alone) : kUnknown;
  }
  /// Returns the root of a squared error in the units of the target.
  [[nodiscard]] double in_units(double squared) const { return std::sqrt(squared) * unit; }
  [[nodiscard]] std::string score_name() const { return is_square() ? "MSE" : loss + " loss"; }
  /// Returns whether every client has an example in every round, so that sums over rounds and
  /// clients are sums over examples.
  [[nodiscard]] bool all_take_part() const;
};

/// Labels algorithms by name and, where names repeat, by schedule and last by number.
void label_results(std::vector<AlgorithmRecord>& results);

/// The record refers to `json`.
Result<RunRecord> read_run(const Json& json);

/// Returns what is printed: the answer, then tables, no line wider than `width` letters.
std::string result_text(const RunRecord& run, std::size_t width);

}  // namespace caucus::report
