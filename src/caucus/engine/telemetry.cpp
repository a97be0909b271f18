#include "caucus/engine/telemetry.hpp"

#include <utility>

namespace caucus {

void Telemetry::record(std::size_t client, const PlayedSums& sums) {
  loss_of_batch_ += sums.loss;
  squared_error += sums.squared_error;
  squared_targets += sums.squared_targets;
  log_loss += sums.log_loss;
  correct += sums.correct;
  forecasts += sums.forecasts;
  loss_of_client[client] += sums.loss;
  recent_of_client[client].add({static_cast<double>(sums.forecasts), sums.targets,
                                sums.squared_targets, sums.loss, sums.squared_error},
                               forecasts);
  forecasts_of_client[client] += sums.forecasts;
  record_personal(client, sums.personal);
}

void Telemetry::record_personal(std::size_t client, const PersonalRecord& personal) {
  if (open_ == client) record_open();
  personal_of_client[client].add(personal);
  ForecastSums sums;
  sums.compared = static_cast<double>(personal.examples);
  sums.federated = personal.federated;
  sums.federated_squares = personal.federated_squares;
  recent_of_client[client].add(sums, forecasts);
}

void Telemetry::record(std::span<const PlayedExample> given) {
  if (given.empty()) return;
  if (given.front().client != open_) record_open();
  measure_.with_kind([&](const auto& kind) {
    PlayedSums sums = std::exchange(open_sums_, {});
    std::size_t client = given.front().client;
    open_ = kNobody;
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
  const std::size_t client = std::exchange(open_, kNobody);
  const PlayedSums sums = std::exchange(open_sums_, {});
  if (client != kNobody) record(client, sums);
}

}  // namespace caucus
