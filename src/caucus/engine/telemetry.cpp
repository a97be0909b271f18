#include "caucus/engine/telemetry.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "caucus/core/losses/classes.hpp"

namespace caucus {

void PlayedSums::add(const PlayedSums& later) {
  forecasts += later.forecasts;
  loss += later.loss;
  squared_error += later.squared_error;
  targets += later.targets;
  squared_targets += later.squared_targets;
  log_loss += later.log_loss;
  correct += later.correct;
  of_class.resize(std::max(of_class.size(), later.of_class.size()), 0);
  for (std::size_t k = 0; k < later.of_class.size(); ++k) of_class[k] += later.of_class[k];
}

void PlayedSums::add_class(const PlayedExample& one) {
  const std::size_t y = class_of(one.y);
  const std::size_t predicted = class_of(one.output);
  const double error = caucus::squared_error(one.probabilities, y);
  of_class.resize(3 * one.probabilities.size(), 0);
  ++forecasts;
  loss += error;
  squared_error += error;
  squared_targets += 1.0;
  log_loss -= std::log(one.probabilities[y]);
  ++of_class[3 * y];
  ++of_class[3 * predicted + 1];
  if (predicted != y) return;
  ++of_class[3 * y + 2];
  ++correct;
}

double loss_of(const Loss& loss, const PlayedExample& one) {
  return loss.has_classes() ? squared_error(one.probabilities, class_of(one.y))
                            : loss.value(one.output, one.y);
}

void Telemetry::record(std::size_t client, const PlayedSums& sums) {
  loss_of_batch_ += sums.loss;
  squared_error += sums.squared_error;
  squared_targets += sums.squared_targets;
  log_loss += sums.log_loss;
  correct += sums.correct;
  forecasts += sums.forecasts;
  loss_of_client[client] += sums.loss;
  errors_of_client[client].add(sums);
  recent_of_client[client].add({static_cast<double>(sums.forecasts), sums.targets,
                                sums.squared_targets, sums.loss, sums.squared_error},
                               forecasts);
  forecasts_of_client[client] += sums.forecasts;
  for (std::size_t k = 0; k < sums.of_class.size(); ++k) of_class[k] += sums.of_class[k];
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
      sums.add(kind, one);
      singles.absolute_error += std::abs(one.output - one.y);
      const double step = one.y - std::exchange(last_targets_[client], one.y);
      singles.persistence += step * step;
    }
    singles.examples += given.size();
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
