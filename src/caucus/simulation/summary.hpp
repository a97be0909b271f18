// Summarises the measurements of repetitions as the result of an experiment. A server reports its
// run as one repetition of one algorithm.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "caucus/algorithms/learned_model.hpp"
#include "caucus/engine/curve_recorder.hpp"
#include "caucus/engine/problem.hpp"
#include "caucus/engine/telemetry.hpp"
#include "caucus/simulation/hindsight/hindsight.hpp"
#include "caucus/simulation/options.hpp"

namespace caucus {

/// A prediction and its true value, in scaled units.
struct GivenForecast {
  std::uint32_t client = 0, round = 0, row = 0;
  float y = 0.0F;
  double output = 0.0;
};

/// One repetition of one algorithm.
struct RepetitionResult {
  Telemetry telemetry;
  double seconds = 0.0;  ///< of the whole loop, without reading, shuffling and drawing features
  RecordedCurve curve;
  LearnedModel learned;
  RunLength length;
  bool from_sums = false;                     ///< it learned from sums over batches
  std::vector<GivenForecast> forecasts = {};  ///< if requested
  BestLosses best = {};  ///< at the rounds of the curve, per space; only with options.regret
};

/// One repetition of all algorithms.
struct RepetitionOutcome {
  std::vector<RepetitionResult> played;  ///< per algorithm
};

/// Means over repetitions at log-spaced rounds, each moved to the end of its batch. Loss and regret
/// are sums over all clients. The regret is measured against the best space for that prefix.
struct Curve {
  std::vector<std::size_t> rounds;
  std::vector<double> loss, regret;
  std::vector<double> loss_sd, regret_sd;  ///< over repetitions, with n - 1
  std::vector<std::vector<double>> probabilities;
};

/// One client: means per example over repetitions.
struct ClientResult {
  std::string name = {};
  std::size_t examples = 0;  ///< in the first repetition
  double uploads = 0.0;
  double given = 0.0;  ///< loss of the forecasts given
  /// With a personal layer: losses of the federated forecast, of what the client predicts alone
  /// from its own rows, and of its last target.
  std::optional<double> federated, alone, persistence;
  std::optional<ForecastScore> recent = {};  ///< in the first repetition
  /// Squared error of the forecasts given; for classes the share of right ones and the log loss.
  std::optional<double> mse = {}, accuracy = {}, log_loss = {};
  /// The loss of the constant that is best for the client's examples, where it is known.
  std::optional<double> constant = {};

  friend bool operator==(const ClientResult&, const ClientResult&) = default;
};

/// How often a class came, was predicted, and was predicted rightly, over all repetitions.
struct ClassResult {
  std::size_t examples = 0, predicted = 0, right = 0;
};

struct AlgorithmResult {
  std::string algorithm;
  bool from_sums = false;    ///< it learned from sums over batches
  double uploads = 0.0;      ///< of a client, mean
  std::size_t diverged = 0;  ///< repetitions that diverged; they enter no mean
  std::vector<double> mse, loss, seconds, accuracy,
      log_loss;                       ///< one per repetition, NaN if it diverged
  std::vector<double> federated_mse;  ///< one per repetition, with a personal layer
  /// One per repetition: the absolute error, where it is known, the squared error of the mean of
  /// all targets and, where it is known, that of every client's last target.
  std::vector<double> mae, constant, persistence;
  /// For classes: how the constant does that always answers with their shares.
  std::vector<double> constant_accuracy, constant_log_loss;
  std::vector<std::size_t> wins;  ///< per space: repetitions in which its final p is the largest
  std::vector<ClientResult> clients;
  std::vector<ClassResult> classes;  ///< if each class has an output
  double upload_bits_per_client_round = 0.0;
  double download_bits_per_client_round = 0.0;
  std::vector<double> probabilities;  ///< final p, mean over repetitions
  std::vector<double> regret;         ///< per space, mean over repetitions; with options.regret
  /// Per space, mean over the same repetitions: the least summed loss, and an upper bound on its
  /// difference to the true minimum. The regret is the summed loss minus best_loss.
  std::vector<double> best_loss, best_gap;
  /// In a served run, for each space the number of examples behind the three numbers above, which
  /// are NaN for spaces without complete sums.
  std::vector<double> regret_examples;
  bool regret_exact = true;  ///< they are of all examples, up to the gap
  Curve curve;
  LearnedModel learned;                  ///< of the first repetition
  std::vector<GivenForecast> forecasts;  ///< of the first repetition, if requested
};

struct ExperimentResult {
  std::size_t used = 0, clients = 0, rounds = 0, sample_size = 0;
  std::vector<AlgorithmResult> results;
  std::vector<double> best_loss;  ///< per space, summed, over all repetitions; with options.regret
  /// The mean loss per example of the best constant; absent if the data are not available.
  std::optional<double> mean_predictor;
};

/// Needs at least one repetition, each with all options.algorithms and at least one batch.
ExperimentResult summarise(std::vector<RepetitionOutcome> outcomes,
                           const ExperimentOptions& options);

}  // namespace caucus
