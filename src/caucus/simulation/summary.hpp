// From what repetitions measured to the result of an experiment. A server that played one
// repetition of one algorithm tells it in the same way.
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

/// One forecast that was given and what became true, in scaled units.
struct GivenForecast {
  std::uint32_t client = 0, round = 0, row = 0;
  float y = 0.0F;
  double output = 0.0;
};

/// One repetition of one algorithm.
struct RepetitionResult {
  Telemetry telemetry;
  double seconds = 0.0;  ///< of the whole loop; reading, shuffling and drawing features are outside
  RecordedCurve curve;
  LearnedModel learned;
  std::size_t second_order = 0;          ///< spaces that learn by second-order steps
  std::vector<GivenForecast> forecasts;  ///< if asked for
};

/// One repetition of all algorithms, one after the other.
struct RepetitionOutcome {
  RunLength length;
  std::vector<RepetitionResult> played;  ///< per algorithm, with curves at the same rounds
  BestLosses best;                       ///< at these rounds, per space; with options.regret
};

/// Means over repetitions, at log-spaced rounds, each moved to the end of its batch. Loss and
/// regret are sums over all clients; the regret is against the best space for that prefix.
struct Curve {
  std::vector<std::size_t> rounds;
  std::vector<double> loss, regret;
  std::vector<double> loss_sd, regret_sd;  ///< over repetitions, with n - 1
  std::vector<std::vector<double>> probabilities;
};

struct AlgorithmResult {
  std::string algorithm;
  std::size_t second_order = 0;  ///< spaces that learn by second-order steps
  std::size_t diverged = 0;      ///< repetitions whose forecasts ran away; they count in no mean
  std::vector<double> mse, loss, seconds, accuracy,
      log_loss;                         ///< one per repetition, NaN if it diverged
  std::vector<double> per_client_loss;  ///< mean loss per example
  double upload_bits_per_client_round = 0.0;
  double download_bits_per_client_round = 0.0;
  std::vector<double> probabilities;  ///< final p, mean over repetitions
  std::vector<double> regret;         ///< per space, mean over repetitions; with options.regret
  /// Per space, over the same repetitions: the least summed loss, which the summed loss exceeds by
  /// the regret, and by how much it may at most exceed the true minimum.
  std::vector<double> best_loss, best_gap;
  Curve curve;
  LearnedModel learned;                  ///< of the first repetition
  std::vector<GivenForecast> forecasts;  ///< of the first repetition, if asked for
};

struct ExperimentResult {
  std::size_t used = 0, clients = 0, rounds = 0, uploads = 0, sampled = 0;
  std::vector<AlgorithmResult> results;
  std::vector<double> best_loss;  ///< per space, summed, over all repetitions; with options.regret
  /// Mean loss per example of the best constant; unknown to who has no data.
  std::optional<double> mean_predictor;
};

/// At least one repetition, each of all options.algorithms and at least one batch.
ExperimentResult summarise(std::vector<RepetitionOutcome> outcomes,
                           const ExperimentOptions& options);

}  // namespace caucus
