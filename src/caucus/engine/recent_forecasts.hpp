// How good the latest federated forecasts of a client were, compared with the best constant for the
// same examples. The sums are over whole batches: the last one if it has a fifth of the client's
// examples, as growing batches have, else as many as have between one and two fifths.
#pragma once

#include <cstdint>
#include <optional>

#include "caucus/loss.hpp"

namespace caucus {

/// Sums over examples: of their targets, of the forecasts that were given and, where a personal
/// layer has corrected these, of the federated forecasts.
struct ForecastSums {
  double examples = 0.0, targets = 0.0, squared_targets = 0.0;
  double loss = 0.0, squared_error = 0.0;
  double compared = 0.0, federated = 0.0, federated_squares = 0.0;

  void add(const ForecastSums& other);
};

struct ForecastScore {
  std::uint64_t examples = 0;
  double error = 0.0;     ///< mean squared error; for classes the mean loss
  double constant = 0.0;  ///< that of the constant that is best for these examples
  /// The examples that the server has counted, of all clients, after this client's last report.
  std::uint64_t since = 0;

  /// An error that is not a number is worse than any.
  [[nodiscard]] bool is_worse() const { return !(error <= constant); }
  friend bool operator==(const ForecastScore&, const ForecastScore&) = default;
};

/// Returns the mean loss of the constant that is best for targets with this mean and this mean
/// square, for the square loss and the losses of classes; nothing for others, of which such sums
/// do not tell.
[[nodiscard]] std::optional<double> best_constant(const Loss& loss, double mean, double square);

struct RecentForecasts {
  ForecastSums previous, latest;
  std::uint64_t total = 0;     ///< examples of the client
  std::uint64_t reported = 0;  ///< examples of all clients when it reported last

  /// Adds the sums of a batch. `all` counts the examples of all clients, with those of the batch.
  void add(const ForecastSums& batch, std::uint64_t all);
  /// Returns nothing if there is nothing to compare: no model had learned yet, so that the
  /// federated forecasts were 0, or the loss is linear, so that no constant is best, or each class
  /// has an output.
  [[nodiscard]] std::optional<ForecastScore> score(const Loss& loss, std::uint64_t all) const;
};

}  // namespace caucus
