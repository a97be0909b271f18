// The client's side of a federation without any transport: it predicts with the models it holds,
// learns the true values whenever they come, and sums them up into reports.
//
//   assign --> predict(x), predict(x), ... --> observe(y), ... --> take_report --> assign ...
//
// Labels may come late and in any order: loss and gradient are those of the models that predicted,
// and are reported under the batch in which these were drawn. While no new models come, the old
// ones go on predicting. All memory is bounded. Safe to be called from several threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "caucus/algorithms/oms_client.hpp"
#include "caucus/federation/records.hpp"
#include "caucus/federation/retained_reports.hpp"
#include "caucus/prediction.hpp"
#include "caucus/result.hpp"

namespace caucus {

class Participant {
 public:
  /// The last so many predictions wait for their true value, and of these no more than so many
  /// bytes hold, but always the newest. Older ones are forgotten.
  static constexpr std::size_t kPending = 10'000;
  static constexpr std::size_t kPendingBytes = 64U << 20U;

  using Counts = PredictionCounts;

  static Result<std::unique_ptr<Participant>> make(const SharedPlan& plan, std::uint32_t client);

  /// The server was started for the `start`-th time and opened the batches from `since` on; those
  /// up to `since` are as they were under the start before. From every welcome.
  void served_by(std::uint64_t start, std::uint64_t since);

  /// New models. If the client answered this very assignment before, gives that report again: the
  /// server has lost it. Else null.
  Result<SharedReport> assign(AssignmentRecord record);

  /// x has the features, then the experts' forecasts.
  Result<Prediction> predict(std::span<const float> x);
  /// The true value of a prediction. False if it is not waited for (any more) or not finite.
  bool observe(std::uint64_t id, double y);

  /// Whether the open batch is unanswered and has enough observations for a report.
  [[nodiscard]] bool ready() const;
  /// What was observed since the last report; null if the open batch is answered already.
  SharedReport take_report(bool last);

  [[nodiscard]] std::uint64_t batch() const;  ///< of the models; 0: there are none yet
  [[nodiscard]] Counts counts() const;
  [[nodiscard]] const SharedPlan& plan() const { return shared_; }

 private:
  /// An assignment, for as long as a prediction needs it.
  struct Models {
    std::uint64_t batch = 0;
    std::uint64_t fingerprint = 0;
    std::uint64_t history = 0;  ///< of the run that they were drawn in
    std::vector<std::vector<float>> weights;
    Assignment assignment;  ///< points to them
  };
  struct Pending {
    std::shared_ptr<const Models> models;
    std::vector<float> x;
    double output = 0.0;
  };
  /// Memory for predicting.
  struct Computed {
    std::uint64_t prediction = 0;  ///< whose features and outputs are there; 0: of none
    std::unique_ptr<Forecast> forecast;
  };
  /// What was observed of the predictions of one assignment.
  struct Part {
    BatchMean mean;
    PlayedSums played;
  };

  Participant(SharedPlan shared, Plan plan, std::uint32_t client);

  [[nodiscard]] Status check(const AssignmentRecord& assignment) const;
  [[nodiscard]] std::shared_ptr<Models> models_of(AssignmentRecord record) const;
  Computed take_forecast(std::uint64_t prediction);
  std::optional<Pending> take_pending(std::uint64_t id);
  // The rest is called while the mutex is locked.
  void remember(std::uint64_t id, Pending one);
  bool count(const Pending& one, const Forecast& forecast, double y);
  [[nodiscard]] bool unanswered() const;
  [[nodiscard]] bool too_old(std::uint64_t sampled) const;
  [[nodiscard]] bool stale(const Models& models) const;
  void compare(const Models& models);
  void forget_after(std::uint64_t batch);
  void forget_old_predictions();
  [[nodiscard]] std::uint64_t waiting_observations() const;

  const SharedPlan shared_;
  const Plan plan_;
  const std::uint32_t client_;
  const std::size_t most_pending_;  ///< that kPendingBytes hold

  mutable std::mutex mutex_;  // of all below
  std::shared_ptr<const Models> models_;
  std::vector<Computed> forecasts_;  ///< that nobody uses now, the newest last
  std::unordered_map<std::uint64_t, Pending> pending_;
  std::deque<std::uint64_t> order_;  ///< of the pending, with some that are not any more
  std::uint64_t next_id_ = 1;
  std::map<std::uint64_t, Part> parts_;  ///< by the batch that the models were drawn in
  std::uint64_t open_ = 0;               ///< the batch that the server asked for last
  std::uint64_t answered_ = 0;           ///< the last batch that was
  std::uint64_t history_ = 0;            ///< counts how often the server's went another way
  std::uint64_t fork_ = 0;               ///< the last batch before it did so last
  std::uint64_t start_ = 0;              ///< of the server
  std::uint64_t durable_ = 0;            ///< the last batch of which the server said so
  /// After another start of the server: up to this batch it drew as before. Nothing: always.
  std::optional<std::uint64_t> agreed_;
  RetainedReports retained_;
  Counts counts_;
};

}  // namespace caucus
