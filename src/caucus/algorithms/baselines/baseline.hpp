// The common part of the baselines. Clients keep models or weights of their own from batch to
// batch, so they count their rounds. The server sends them models and keeps their reports until the
// end of the batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "caucus/algorithms/baselines/baseline_rates.hpp"
#include "caucus/algorithms/learned_model.hpp"
#include "caucus/algorithms/oms_client.hpp"
#include "caucus/algorithms/round.hpp"
#include "caucus/core/base/random.hpp"

namespace caucus {

/// The settings of all baselines, so that a comparison changes only the name of the algorithm.
struct BaselineSettings {
  std::shared_ptr<const Plan> plan;
  std::size_t sample_size = 2;  ///< J, the size of a bin of POF-MKL
  std::size_t clients = 1;      ///< M
  BaselineRates rates;
  std::uint64_t seed = 1;
  std::uint32_t repetition = 0;
};

/// server -> client: the models and their batch.
struct TimedAssignment : Assignment {
  Batch batch;
};

/// Tells a client which round it plays.
class ClientClock {
 public:
  /// Returns whether this assignment is a new one, so that its first example is being played.
  bool begins(const TimedAssignment& assignment);
  void end_example() { ++round_; }

  [[nodiscard]] std::uint32_t client() const { return client_; }
  [[nodiscard]] std::uint32_t batch() const { return batch_; }
  [[nodiscard]] std::size_t round() const { return round_; }  ///< t, from 1

 private:
  std::uint32_t client_ = 0;
  std::uint32_t batch_ = 0;  ///< batches count from 1: no batch yet
  std::size_t round_ = 0;
};

/// One model for each of the K spaces.
using ModelSet = std::vector<std::vector<float>>;

/// The memory of a client that keeps models of its own.
struct LocalModels {
  ClientClock clock;
  ModelSet models;
  std::vector<double> losses;  ///< losses on the last example
};

/// What a client would report if the batch ended with its last example.
struct BaselineBatch {
  struct Model {
    std::uint32_t space = 0;
    std::span<const float> weights;  ///< in the client's memory
    double loss = 0.0;
  };
  std::uint32_t client = 0, examples = 0;
  std::vector<Model> models;
  std::vector<double> selection;  ///< if the client has probabilities of its own

  void begin(const TimedAssignment& assignment);
  /// Reports nothing without an example.
  void report(ReportBatch& into) const;
};

class Baseline {
 public:
  using Assignment = TimedAssignment;
  using Forecast = caucus::Forecast;
  using BatchMean = BaselineBatch;
  using Aggregate = KeptReports;
  using ClientState = LocalModels;
  static constexpr bool kCooperative = true;

  explicit Baseline(std::shared_ptr<const BaselineSettings> settings);

  /// Sends the chosen model or, if none is chosen, all of them.
  void assign(const Batch& batch, std::uint32_t client, Assignment& into) const;
  /// At the first example of a batch the received models replace the client's own. The outputs are
  /// those of all local models, and the first received model predicts.
  void predict(LocalModels& memory, const Assignment& assignment, std::span<const float> x,
               Forecast& into) const;
  void aggregate(ReportBatch& reports, KeptReports& into) const { into.keep(reports); }

  [[nodiscard]] BaselineBatch new_mean() const { return {}; }
  [[nodiscard]] Forecast new_forecast() const { return Forecast(plan().maps); }
  [[nodiscard]] KeptReports new_aggregate() const { return {}; }
  /// Returns p, or the mean of the own probabilities of the clients that reported last.
  [[nodiscard]] std::vector<double> selection() const { return selection_; }
  [[nodiscard]] LearnedModel learned() const { return {selection_, models_}; }

 protected:
  [[nodiscard]] const Plan& plan() const { return *settings_->plan; }
  [[nodiscard]] const BaselineRates& rates() const { return settings_->rates; }
  [[nodiscard]] Stream stream(Purpose purpose, std::size_t time, std::uint32_t client) const {
    return Stream({settings_->seed, purpose, settings_->repetition,
                   static_cast<std::uint32_t>(time), client});
  }
  /// Returns the bits of models with their indices.
  [[nodiscard]] std::size_t bits_of(const HeldSize& models) const {
    return 32 * models.floats + models.models * index_bits(models_.size());
  }
  /// Returns the most bits that `count` models can have: where a client chooses what it sends, its
  /// upload is known only afterwards, unless all spaces have the same dimension.
  [[nodiscard]] HeldSize largest_models(std::size_t count) const;
  /// Returns the sum of the reports on each space, or only on the chosen one, in their order, and
  /// the numbers of these reports.
  [[nodiscard]] std::pair<ModelSet, std::vector<std::size_t>> sums_of(
      const KeptReports& reports) const;
  /// Replaces the chosen model, or all, by the mean of those that were reported.
  void average_models(const KeptReports& reports);
  void average_selection(const KeptReports& reports);

  std::shared_ptr<const BaselineSettings> settings_;
  ModelSet models_;
  std::vector<double> selection_;
  std::optional<std::size_t> chosen_;
};

}  // namespace caucus
