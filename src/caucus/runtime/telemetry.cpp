#include "caucus/runtime/telemetry.hpp"

namespace caucus {

void Telemetry::record(std::span<const PlayedExample> given) {
  loss_.with_kind([&](const auto& loss) {
    // Sums in registers: in memory each addition would wait for the one before.
    double errors = squared_error;
    double targets = squared_targets;
    for (std::size_t n = 0; n < given.size();) {
      const std::size_t round = given[n].round;
      double of_round = loss_of_round[round];
      for (; n < given.size() && given[n].round == round; ++n) {
        const PlayedExample& one = given[n];
        const double value = loss.value(one.output, one.y);
        of_round += value;
        loss_of_client[one.client] += value;
        errors += (one.output - one.y) * (one.output - one.y);
        targets += one.y * one.y;
      }
      loss_of_round[round] = of_round;
    }
    squared_error = errors;
    squared_targets = targets;
  });
  forecasts += given.size();
  if (!loss_.is_classification()) return;
  for (const PlayedExample& one : given) {
    log_loss += LogisticLoss::value(one.output, one.y);
    correct += static_cast<std::size_t>((one.output > 0.0) == (one.y > 0.0));
  }
}

}  // namespace caucus
