// The measurements of one repetition: losses of the predictions, in all and per client, and bits.
//
// The arithmetic is such that a server, which gets only each client's sums of a batch, and a
// simulation, which sees every prediction, compute the same bits: a client's sums begin at 0 and
// run over its rounds of the batch in order; they are added in the clients' order to the totals,
// and their losses to the batch's loss, which is added to the total loss at the batch's end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "caucus/algorithms/round.hpp"
#include "caucus/core/personal/personal_layer.hpp"
#include "caucus/engine/recent_forecasts.hpp"
#include "caucus/loss.hpp"

namespace caucus {

/// Sums over the predictions of one client in one batch, as they are sent.
struct PlayedSums {
  std::uint32_t forecasts = 0;
  double loss = 0.0;
  double squared_error = 0.0;
  double squared_targets = 0.0;
  double log_loss = 0.0;         ///< classification: the prediction is a logit
  std::uint32_t correct = 0;     ///< classification: right predictions
  PersonalRecord personal = {};  ///< what the client's personal layer compared; empty without one
  double targets = 0.0;
  /// If each class has an output, three numbers for each class: how often it came, was predicted,
  /// and was predicted rightly.
  std::vector<std::uint32_t> of_class = {};

  /// Adds one prediction; the loss is given by its own type, or as any Loss.
  template <class L>
  void add(const L& by, double output, double y) {
    ++forecasts;
    loss += by.value(output, y);
    squared_error += (output - y) * (output - y);
    targets += y;
    squared_targets += y * y;
    if constexpr (kOfClasses<L>) {
      log_loss += LogisticLoss::value(output, y);
      correct += static_cast<std::uint32_t>((output > 0.0) == (y > 0.0));
    }
  }
  void add(const Loss& by, double output, double y) {
    by.with_kind([&](const auto& kind) { add(kind, output, y); });
  }
  template <class L>
  void add(const L& by, const PlayedExample& one) {
    if constexpr (std::is_same_v<L, ClassesLoss>) {
      add_class(one);
    } else {
      add(by, one.output, one.y);
    }
  }
  void add(const Loss& by, const PlayedExample& one) {
    by.with_kind([&](const auto& kind) { add(kind, one); });
  }
  /// Adds the sums over later predictions of the client in the batch.
  void add(const PlayedSums& later);

  friend bool operator==(const PlayedSums&, const PlayedSums&) = default;

 private:
  void add_class(const PlayedExample& one);
};

/// Returns the loss of a prediction.
double loss_of(const Loss& loss, const PlayedExample& one);

/// Sums over all examples of a client, from which the error of the mean of its targets follows.
struct ErrorSums {
  double squared_error = 0.0, targets = 0.0, squared_targets = 0.0;
  double log_loss = 0.0;    ///< classification
  std::size_t correct = 0;  ///< classification

  void add(const PlayedSums& sums) {
    squared_error += sums.squared_error;
    targets += sums.targets;
    squared_targets += sums.squared_targets;
    log_loss += sums.log_loss;
    correct += sums.correct;
  }
};

/// Sums over predictions that were recorded one by one. A server, which gets sums of batches, has
/// none.
struct SingleSums {
  std::size_t examples = 0;
  double absolute_error = 0.0;
  double persistence = 0.0;  ///< squared errors of the client's last target, first of 0
};

class Telemetry {
 public:
  Telemetry(const Loss& measure, std::size_t clients)
      : loss_of_client(clients, 0.0),
        forecasts_of_client(clients, 0),
        uploads_of_client(clients, 0),
        personal_of_client(clients),
        recent_of_client(clients),
        errors_of_client(clients),
        of_class(3 * measure.classes(), 0),
        measure_(measure),
        last_targets_(clients, 0.0) {}

  /// Records all of a client's predictions in a batch. Call it in the clients' order.
  void record(std::size_t client, const PlayedSums& sums);
  /// Records predictions in the order of clients, each client's in the order of rounds. Those of a
  /// client in a batch may come in several pieces.
  void record(std::span<const PlayedExample> given);
  /// Records what a client's personal layer compared in a batch.
  void record_personal(std::size_t client, const PersonalRecord& personal);
  /// Records the messages of these clients in one batch, with the sums of their sizes.
  void sent(std::span<const std::uint32_t> clients, std::size_t up, std::size_t down) {
    upload_bits += up;
    download_bits += down;
    for (const std::uint32_t client : clients) ++uploads_of_client[client];
  }
  /// Completes the totals.
  void end_batch();
  [[nodiscard]] double loss_of(const PlayedExample& one) const {
    return caucus::loss_of(measure_, one);
  }

  /// Returns whether the predictions' error is more than a thousand times the targets' size.
  [[nodiscard]] bool diverged() const { return !(squared_error <= 1e6 * squared_targets); }

  /// Returns how good the federated forecasts of a client's latest examples were.
  [[nodiscard]] std::optional<ForecastScore> recent_score(std::size_t client) const {
    return recent_of_client[client].score(measure_, forecasts);
  }

  /// Calls visit(field) for every field that must be kept from one batch to the next.
  template <class Visit>
  void fields(Visit&& visit) {
    each_field(*this, visit);
  }
  template <class Visit>
  void fields(Visit&& visit) const {
    each_field(*this, visit);
  }

  double loss = 0.0;  ///< loss of all batches that ended
  double squared_error = 0.0;
  double squared_targets = 0.0;
  double log_loss = 0.0;
  std::size_t correct = 0;
  std::size_t forecasts = 0;
  std::size_t upload_bits = 0, download_bits = 0;
  std::vector<double> loss_of_client;
  std::vector<std::size_t> forecasts_of_client, uploads_of_client;
  std::vector<PersonalRecord> personal_of_client;
  std::vector<RecentForecasts> recent_of_client;
  std::vector<ErrorSums> errors_of_client;
  std::vector<std::size_t> of_class;  ///< as in PlayedSums
  SingleSums singles;  ///< not kept from one batch to the next: only simulations have them

 private:
  static constexpr std::size_t kNobody = std::numeric_limits<std::size_t>::max();

  template <class Self, class Visit>
  static void each_field(Self& self, Visit& visit) {
    visit(self.loss);
    visit(self.squared_error);
    visit(self.squared_targets);
    visit(self.log_loss);
    visit(self.correct);
    visit(self.forecasts);
    visit(self.upload_bits);
    visit(self.download_bits);
    visit(self.loss_of_client);
    visit(self.forecasts_of_client);
    visit(self.uploads_of_client);
    visit(self.personal_of_client);
    visit(self.recent_of_client);
    visit(self.errors_of_client);
    visit(self.of_class);
  }
  /// Records the last client, for which more predictions could have come.
  void record_open();

  Loss measure_;
  double loss_of_batch_ = 0.0;
  std::size_t open_ = kNobody;
  PlayedSums open_sums_;
  std::vector<double> last_targets_;  ///< of every client
};

}  // namespace caucus
