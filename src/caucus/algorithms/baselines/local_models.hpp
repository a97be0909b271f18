// The client of the KOFL family (Hong and Chae, "Communication-efficient randomized algorithm for
// multi-kernel online federated learning", 2022): it keeps all K models and after y moves each by
//   loss_i = l(f_i, y) + lambda |W_i|^2,   W_i <- (1 - 2 eta_l lambda) W_i - eta_l l'(f_i, y) z_i,
// every round, whatever is exchanged at the ends of batches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "caucus/algorithms/baselines/baseline_client.hpp"
#include "caucus/algorithms/baselines/baseline_settings.hpp"
#include "caucus/algorithms/model_set.hpp"

namespace caucus {

/// In the memory of a client.
struct LocalModels {
  ClientClock clock;
  ModelSet models;

  /// At the first example of a batch the models that came take the places of the client's own.
  /// Gives back whether it was the first.
  bool take_over(const FeatureMaps& maps, const TimedAssignment& assignment);
};

/// f_i(x) for all K local models; the output is left to the algorithm.
void predict_with_local(const Plan& plan, const LocalModels& memory, std::span<const float> x,
                        Forecast& into);

/// One step of every local model; gives the K regularized losses from before it.
void step_local(const Plan& plan, const BaselineRates& rates, const Forecast& forecast, double y,
                LocalModels& memory, std::vector<double>& losses);

/// On the client of eM-KOFL and vM-KOFL, while a batch lasts.
class LocalBatch {
 public:
  void begin(const TimedAssignment& assignment);
  void add(std::span<const double> losses, const ModelSet& models);
  /// K sums of losses over the batch, and as directions the client's own models, of which the
  /// server reads only what the protocol sends: the one that it draws, or all. Nothing without an
  /// example.
  void report(ReportBatch& into) const;

 private:
  std::uint32_t client_ = 0, examples_ = 0;
  const ModelSet* models_ = nullptr;
  std::vector<double> losses_;
};

/// The mean of the models of some clients; all are read before anything is written.
void average_into(std::span<float> mean, std::span<const float* const> models);

}  // namespace caucus
