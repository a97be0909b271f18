// The records of one round, each with one producer and one consumer:
//   assign -> Assignment -> predict -> Forecast -> report -> BatchMean/Report -> aggregate
// Their buffers are reused from round to round.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "caucus/core/features/feature_maps.hpp"

namespace caucus {

/// The rounds during which models do not move: N of them, or fewer at the end. R = T is N = 1.
struct Batch {
  std::uint32_t number = 1;  ///< r, from 1
  std::size_t first = 0;     ///< first round, from 0
  std::size_t last = 1;      ///< one past the last round
};

/// A model as it is handed to a client; the weights belong to the server.
struct HeldModel {
  std::uint32_t space = 0;
  std::span<const float> weights;
  double share = 1.0;  ///< of the forecast; those of an assignment sum to 1
};

/// Where the models of several clients are to be written, J for each; the shares only by algorithms
/// whose first model does not predict alone.
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
};

/// On the client, before y is known.
class Forecast {
 public:
  explicit Forecast(const FeatureMaps& maps) : workspace(maps) {}

  double output = 0.0;          ///< the forecast given
  std::vector<double> outputs;  ///< of every held model
  std::vector<std::span<const float>> features;
  FeatureMaps::Workspace workspace;
};

/// The forecast that a client gave in a round, and what came true.
struct PlayedExample {
  std::size_t client = 0, round = 0;
  double output = 0.0, y = 0.0;
};

/// Loss and gradient of a held model, both means over the batch, as floats. The gradient is
/// factor * direction, each product rounded to a float: a mean over several examples has the factor
/// 1, that of one example is the loss's derivative times the features, and need not be written out.
struct HeldReport {
  std::uint32_t space = 0;
  float loss = 0.0F;
  float factor = 1.0F;
  std::span<const float> direction;
  /// The weights at which the gradient was taken; empty: as they are now.
  std::span<const float> taken_at = {};
};

/// client -> server: what the client's examples say of the held models. The memory belongs to who
/// made it. A late report is of models that were drawn, and whose gradients were taken, in an
/// earlier batch (docs/decisions/0005-late-reports.md).
struct Report {
  std::uint32_t client = 0;
  std::uint32_t examples = 0;
  std::span<const HeldReport> held;
  /// p_i of the held models when they were drawn; empty: as they are now.
  std::span<const double> sampled_with = {};
};

/// What part of a client's examples in a batch these are, of those in all its parts.
inline double share_of(const Report& part, std::span<const Report> parts) {
  if (parts.size() == 1) return 1.0;
  double examples = 0.0;
  for (const Report& each : parts) examples += static_cast<double>(each.examples);
  return static_cast<double>(part.examples) / examples;
}

/// The reports of several clients, each of J models, number by number: what HeldReport has of each
/// is in an array of its own.
struct TileReports {
  std::size_t sampled = 0;  ///< J
  std::span<const std::uint32_t> clients;
  std::span<const std::uint32_t> examples;  ///< of each client
  // J of each client; the size of a direction is that of its space.
  std::span<const std::uint32_t> spaces;
  std::span<const float> losses, factors;
  std::span<const float* const> directions;
  std::size_t floats = 0;  ///< of all directions together
  bool lasting = false;    ///< all of the batch are here, and their memory lasts until the step

  [[nodiscard]] std::size_t size() const { return clients.size(); }
};

/// work(TileReports) with one report, which does not last.
template <class Work>
void with_tile_of_one(const Report& report, Work&& work) {
  std::vector<std::uint32_t> spaces;
  std::vector<float> losses;
  std::vector<float> factors;
  std::vector<const float*> directions;
  std::size_t floats = 0;
  for (const HeldReport& held : report.held) {
    spaces.push_back(held.space);
    losses.push_back(held.loss);
    factors.push_back(held.factor);
    directions.push_back(held.direction.data());
    floats += held.direction.size();
  }
  work(TileReports{report.held.size(),
                   {&report.client, 1},
                   {&report.examples, 1},
                   spaces,
                   losses,
                   factors,
                   directions,
                   floats,
                   false});
}

/// A mean loss as it is reported: a float, and finite.
inline float reported_loss(double loss) {
  constexpr auto kLargest = static_cast<double>(std::numeric_limits<float>::max());
  const double capped = loss < kLargest ? loss : kLargest;  // not std::clamp: that is a branch
  return static_cast<float>(capped > -kLargest ? capped : -kLargest);
}

/// On the client, while a batch lasts: the sums behind a Report. They are kept in double and
/// rounded to float once; for a batch of one the gradient is the float product of derivative and
/// feature.
class BatchMean {
 public:
  void begin(const Assignment& assignment) { begin(assignment.client, assignment.held); }
  void begin(std::uint32_t client, std::span<const HeldModel> models);
  /// One example: loss and derivative of held model a, and its features.
  void add(std::size_t held, double loss, float derivative, std::span<const float> features);
  void end_example() { ++examples_; }
  /// Ends the batch.
  const Report& report();

 private:
  Report report_;
  std::vector<HeldReport> held_;
  std::uint32_t examples_ = 0;
  std::vector<double> losses_, gradient_sums_;
  std::vector<float> gradients_;    ///< of the held models, one after another
  std::vector<std::size_t> begin_;  ///< where each begins
};

/// For algorithms whose clients remember nothing between batches.
struct NoMemory {};

}  // namespace caucus
