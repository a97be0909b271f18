#include "caucus/runtime/telemetry.hpp"

namespace caucus {

void Telemetry::forecast(std::size_t client, std::size_t round, double output, double y) {
  const double loss = loss_.value(output, y);
  loss_of_round[round] += loss;
  loss_of_client[client] += loss;
  squared_error += (output - y) * (output - y);
  squared_targets += y * y;
  ++forecasts;
  if (loss_.is_classification()) {
    log_loss += LogisticLoss::value(output, y);
    correct += static_cast<std::size_t>((output > 0.0) == (y > 0.0));
  }
}

}  // namespace caucus
