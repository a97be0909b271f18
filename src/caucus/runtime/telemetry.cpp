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
  for (const PlayedExample& one : given) count_class(one.output, one.y);
}

void Telemetry::record(const RoundForecasts& given) {
  const std::size_t count = given.clients.size();
  loss_.with_kind([&](const auto& loss) {
    double of_round = loss_of_round[given.round];
    double errors = squared_error;
    double targets = squared_targets;
    for (std::size_t n = 0; n < count; ++n) {
      const double output = given.outputs[n];
      const double y = given.y[n];
      const double value = loss.value(output, y);
      of_round += value;
      loss_of_client[given.clients[n]] += value;
      errors += (output - y) * (output - y);
      targets += y * y;
    }
    loss_of_round[given.round] = of_round;
    squared_error = errors;
    squared_targets = targets;
  });
  forecasts += count;
  if (!loss_.is_classification()) return;
  for (std::size_t n = 0; n < count; ++n) count_class(given.outputs[n], given.y[n]);
}

void Telemetry::count_class(double output, double y) {
  log_loss += LogisticLoss::value(output, y);
  correct += static_cast<std::size_t>((output > 0.0) == (y > 0.0));
}

}  // namespace caucus
