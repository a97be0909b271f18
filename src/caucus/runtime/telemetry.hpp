// What one repetition measured: losses of the forecasts given, per round and per client, and bits.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "caucus/algorithms/round.hpp"
#include "caucus/core/loss.hpp"

namespace caucus {

class Telemetry {
 public:
  Telemetry(const Loss& loss, std::size_t clients, std::size_t rounds)
      : loss_(loss), loss_of_round(rounds, 0.0), loss_of_client(clients, 0.0) {}

  void record(std::span<const PlayedExample> given);
  void record(const RoundForecasts& given);
  void sent(std::size_t up, std::size_t down) {
    upload_bits += up;
    download_bits += down;
  }

 private:
  void count_class(double output, double y);

  Loss loss_;

 public:
  std::vector<double> loss_of_round, loss_of_client;
  double squared_error = 0.0;
  double log_loss = 0.0;  ///< classification: of the forecast as a logit
  std::size_t correct = 0;
  std::size_t forecasts = 0;
  std::size_t upload_bits = 0, download_bits = 0;
  double squared_targets = 0.0;

  /// The forecasts ran away: their error is more than a thousand times the targets' size.
  [[nodiscard]] bool diverged() const { return !(squared_error <= 1e6 * squared_targets); }
};

}  // namespace caucus
