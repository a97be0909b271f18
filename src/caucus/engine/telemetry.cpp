#include "caucus/engine/telemetry.hpp"

namespace caucus {

void Telemetry::record(std::size_t client, const PlayedSums& sums) {
  loss_of_batch_ += sums.loss;
  squared_error += sums.squared_error;
  squared_targets += sums.squared_targets;
  log_loss += sums.log_loss;
  correct += sums.correct;
  forecasts += sums.forecasts;
  loss_of_client[client] += sums.loss;
  forecasts_of_client[client] += sums.forecasts;
  record_personal(client, sums.personal);
}

void Telemetry::record(std::span<const PlayedExample> given) {
  if (given.empty()) return;
  if (given.front().client != open_) record_open();
  measure_.with_kind([&](const auto& kind) {
    PlayedSums sums = open_sums_;
    std::size_t client = given.front().client;
    for (const PlayedExample& one : given) {
      if (one.client != client) {
        record(client, sums);
        sums = {};
        client = one.client;
      }
      sums.add(kind, one.output, one.y);
    }
    open_ = client;
    open_sums_ = sums;
  });
}

void Telemetry::end_batch() {
  record_open();
  loss += loss_of_batch_;
  loss_of_batch_ = 0.0;
}

void Telemetry::record_open() {
  if (open_ != kNobody) record(open_, open_sums_);
  open_ = kNobody;
  open_sums_ = {};
}

}  // namespace caucus
