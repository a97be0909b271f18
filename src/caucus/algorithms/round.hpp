// The records of one round, each with one producer and one consumer:
//   assign -> Assignment -> predict -> Forecast -> report -> BatchMean -> ReportBatch -> aggregate
// Their buffers are reused from round to round.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "caucus/algorithms/report_batch.hpp"
#include "caucus/core/base/state_io.hpp"
#include "caucus/core/features/feature_maps.hpp"
#include "caucus/result.hpp"

namespace caucus {

/// The rounds during which models do not change: N of them, or fewer at the end of a run. The paper
/// has R = T batches if N = 1.
struct Batch {
  std::uint32_t number = 1;  ///< r, from 1
  std::size_t first = 0;     ///< first round, from 0
  std::size_t last = 1;      ///< one past the last round
};

/// A model as it is assigned to a client; the server owns the weights.
struct HeldModel {
  std::uint32_t space = 0;
  std::span<const float> weights;
  double share = 1.0;  ///< weight in the prediction; they sum to 1
};

/// Memory for the models of several clients, J for each. Shares are written only if the first model
/// does not predict alone.
struct HeldPlaces {
  std::uint32_t* spaces = nullptr;
  const float** weights = nullptr;
  double* shares = nullptr;
};

/// server -> client: the J sampled models. In the paper the first one predicts, with share 1, and
/// the others only observe.
struct Assignment {
  std::uint32_t client = 0;
  std::vector<HeldModel> held;
  std::size_t examples = 0;  ///< examples that the batch will have; 0 if the plan fixes the number
  std::size_t least_after_change = 0;  ///< if the data change, the batch may end after so many
};

/// The client's prediction, before y is known.
class Forecast {
 public:
  explicit Forecast(const FeatureMaps& maps) : workspace(maps) {}

  double output = 0.0;          ///< the prediction; of classes the likeliest one
  std::vector<double> outputs;  ///< outputs of the held models, one for each class
  /// If each class has an output: first their means over the models, by shares; then the
  /// probabilities that are given.
  std::vector<double> classes;
  std::vector<std::span<const float>> features;
  FeatureMaps::Workspace workspace;
};

/// The prediction of a client in a round, and the true value.
struct PlayedExample {
  std::size_t client = 0, round = 0;
  double output = 0.0, y = 0.0;
  std::span<const double> probabilities = {};  ///< of the classes, if each has an output
};

/// The sums from which a client makes its report, while a batch lasts. They are kept in double and
/// rounded to float once; for a batch of one example the gradient is the float product of
/// derivative and feature.
class BatchMean {
 public:
  void begin(const Assignment& assignment) { begin(assignment.client, assignment.held); }
  void begin(std::uint32_t client, std::span<const HeldModel> models);
  /// Adds one example: loss and derivative of held model a, and its features.
  void add(std::size_t a, double loss, float derivative, std::span<const float> features);
  void end_example() { ++examples_; }
  /// Ends the batch: the means become a report.
  void report(ReportBatch& into) const;

  [[nodiscard]] std::uint32_t examples() const { return examples_; }

  /// restore() needs an object that has begun with the same assignment; discard it after an error.
  void save(StateWriter& to) const;
  Status restore(StateReader& from);

 private:
  std::uint32_t client_ = 0, examples_ = 0;
  std::vector<std::uint32_t> spaces_;
  std::vector<double> losses_, gradient_sums_;
  std::vector<std::size_t> begin_;  ///< where the sums of each model begin
};

/// The state of clients that remember nothing between batches.
struct NoMemory {};

}  // namespace caucus
