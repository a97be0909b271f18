#include "caucus/runtime/telemetry.hpp"

namespace caucus {

void Telemetry::record(std::span<const PlayedExample> given) {
  loss_.with_kind([&](const auto& loss) {
    for (const PlayedExample& one : given) {
      const double value = loss.value(one.output, one.y);
      loss_of_round[one.round] += value;
      loss_of_client[one.client] += value;
      squared_error += (one.output - one.y) * (one.output - one.y);
      squared_targets += one.y * one.y;
    }
  });
  forecasts += given.size();
  if (!loss_.is_classification()) return;
  for (const PlayedExample& one : given) {
    log_loss += LogisticLoss::value(one.output, one.y);
    correct += static_cast<std::size_t>((one.output > 0.0) == (one.y > 0.0));
  }
}

}  // namespace caucus
