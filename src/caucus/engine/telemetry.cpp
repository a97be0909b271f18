#include "caucus/engine/telemetry.hpp"

namespace caucus {
namespace {

/// The totals in registers: in memory each addition would wait for the one before.
class Totals {
 public:
  Totals(Telemetry& into, double& loss_of_batch)
      : into_(into),
        batch_(loss_of_batch),
        loss_(loss_of_batch),
        errors_(into.squared_error),
        targets_(into.squared_targets),
        log_loss_(into.log_loss),
        correct_(into.correct) {}

  void add(std::size_t client, const PlayedSums& sums) {
    loss_ += sums.loss;
    errors_ += sums.squared_error;
    targets_ += sums.squared_targets;
    log_loss_ += sums.log_loss;
    correct_ += sums.correct;
    forecasts_ += sums.forecasts;
    into_.loss_of_client[client] += sums.loss;
    into_.forecasts_of_client[client] += sums.forecasts;
  }
  void store() const {
    batch_ = loss_;
    into_.squared_error = errors_;
    into_.squared_targets = targets_;
    into_.log_loss = log_loss_;
    into_.correct = correct_;
    into_.forecasts += forecasts_;
  }

 private:
  Telemetry& into_;
  double& batch_;
  double loss_, errors_, targets_, log_loss_;
  std::size_t correct_;
  std::size_t forecasts_ = 0;
};

}  // namespace

void Telemetry::record(std::size_t client, const PlayedSums& sums) {
  Totals totals(*this, loss_of_batch_);
  totals.add(client, sums);
  totals.store();
}

void Telemetry::record(std::span<const PlayedExample> given) {
  if (given.empty()) return;
  if (given.front().client != open_) record_open();
  measure_.with_kind([&](const auto& kind) {
    Totals totals(*this, loss_of_batch_);
    PlayedSums sums = open_sums_;
    std::size_t client = given.front().client;
    for (const PlayedExample& one : given) {
      if (one.client != client) {
        totals.add(client, sums);
        sums = {};
        client = one.client;
      }
      sums.add(kind, one.output, one.y);
    }
    totals.store();
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
