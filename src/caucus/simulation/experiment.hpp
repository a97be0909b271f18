// An experiment: algorithms compared on the same data, order and seeds, over repetitions.
#pragma once

#include <atomic>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "caucus/algorithms/learned_model.hpp"
#include "caucus/core/result.hpp"
#include "caucus/data/dataset.hpp"
#include "caucus/simulation/options.hpp"

namespace caucus {

/// Means over repetitions, at log-spaced rounds. Loss and regret are sums over all clients; the
/// regret is against the best space for that prefix.
struct Curve {
  std::vector<std::size_t> rounds;
  std::vector<double> loss, regret;
  std::vector<double> loss_sd, regret_sd;  ///< over repetitions, with n - 1
  std::vector<std::vector<double>> probabilities;
};

/// One forecast that was given, in scaled units.
struct GivenForecast {
  std::uint32_t client = 0, round = 0, row = 0;
  double output = 0.0;
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
  double mean_predictor = 0.0;    ///< mean loss per example of the best constant
};

/// How far an experiment is, for whoever watches: examples played, of how many.
struct Progress {
  std::atomic<std::size_t> done{0};
  std::atomic<std::size_t> total{0};
};

Result<ExperimentResult> run_experiment(const Dataset& data, const ExperimentOptions& options,
                                        Progress& progress);

}  // namespace caucus
