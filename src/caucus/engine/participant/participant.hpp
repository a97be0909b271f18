// The client's side of a federation without any transport: it predicts with the models it holds,
// learns the true values whenever they come, and sums them up into reports.
//
//   assign --> predict(x), predict(x), ... --> observe(y), ... --> take_report --> assign ...
//
// Labels may come late and in any order. Sums do not depend on the models that predicted, so an
// example counts in the batch in which its label comes, for the models that are held then. Losses
// and gradients of single rounds are those of the models that predicted, and are reported under the
// batch in which these were drawn. While no new models come, the old ones go on predicting. All
// memory is bounded. Several threads may call it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "caucus/algorithms/oms_client.hpp"
#include "caucus/algorithms/statistics/batch_statistics.hpp"
#include "caucus/columns.hpp"
#include "caucus/core/personal/personal_layer.hpp"
#include "caucus/engine/asked_experts.hpp"
#include "caucus/engine/participant/records.hpp"
#include "caucus/engine/participant/retained_reports.hpp"
#include "caucus/prediction.hpp"
#include "caucus/result.hpp"

namespace caucus {

/// Returns the rule for the length of batches and the content of reports in a plan.
UploadRule client_rule(const SharedPlan& plan, std::size_t features);

class Participant {
 public:
  /// At most this many predictions, of this many bytes, wait for their true value. The newest one
  /// always waits; older ones are forgotten.
  static constexpr std::size_t kPending = 10'000;
  static constexpr std::size_t kPendingBytes = 64U << 20U;

  using Counts = PredictionCounts;

  /// If `ask` is given, the experts are asked while they are held.
  static Result<std::unique_ptr<Participant>> make(const SharedPlan& plan, std::uint32_t client,
                                                   ExpertCallback ask = {});

  /// Says that the server was started for the `start`-th time and opened the batches from
  /// `since` on; those up to `since` are unchanged. Call it after every welcome.
  void served_by(std::uint64_t start, std::uint64_t since);

  /// Takes new models. Returns the report on this same assignment if there was one, since the
  /// server has lost it; otherwise null.
  Result<SharedReport> assign(AssignmentRecord record);

  /// Predicts for x, which has the features and then the experts' predictions, unless these are
  /// asked; `example` is then a part of the questions.
  Result<Prediction> predict(std::span<const float> x, std::uint64_t example = 0);
  /// Takes the true value of a prediction. Returns false if none is expected, or it is not finite
  /// or not a class.
  bool observe(std::uint64_t id, double y);
  /// Forgets a prediction whose true value will not come.
  void forget(std::uint64_t id);

  /// Returns whether the open batch is unanswered and has enough observations for a report.
  [[nodiscard]] bool ready() const;
  /// Returns the observations since the last report, or null if the open batch is answered.
  SharedReport take_report(bool last);

  /// Returns the state of the personal layer, or an empty text without one. The losses that the
  /// layer has compared for the next report are not part of it.
  [[nodiscard]] std::string personal_state() const;
  /// Continues from such a state. Predictions that wait for their true value are forgotten.
  Status restore_personal(std::string_view bytes);

  /// Writes the personal layer and the observations of the open batch, which must have been
  /// assigned and not answered, but no predictions. restore() is for a new participant with the
  /// same assignment; discard it after an error. The next report then has the same sums, with the
  /// losses (PlayedSums) of the observations after restore().
  void save(StateWriter& to) const;
  Status restore(StateReader& from);

  [[nodiscard]] std::uint64_t batch() const;  ///< of the current models; 0 before the first
  [[nodiscard]] Counts counts() const;
  [[nodiscard]] const SharedPlan& plan() const { return shared_; }
  /// Returns the features and the loss of the plan.
  [[nodiscard]] const Plan& prepared_plan() const { return plan_; }

 private:
  /// An assignment; predictions share it.
  struct Models {
    std::uint64_t batch = 0;
    std::uint64_t fingerprint = 0;
    std::uint64_t history = 0;   ///< history_ when they were drawn
    std::uint64_t examples = 0;  ///< the length of the batch
    std::uint64_t least_after_change = 0;
    bool predicts = false;  ///< whether a model has learned yet
    std::vector<std::vector<float>> weights;
    Assignment assignment;  ///< refers to the models above
  };
  /// What the plan's ranges allow, in scaled units; empty if it has none.
  struct Limits {
    std::vector<std::pair<float, float>> x;
    std::optional<Interval> y;
  };
  struct Pending {
    std::shared_ptr<const Models> models;
    std::vector<float> x;
    std::uint64_t example = 0;
    double output = 0.0;
    std::vector<double> probabilities = {};         ///< of the classes, if each has an output
    std::optional<PersonalForecast> personal = {};  ///< absent without a personal layer
  };
  /// Memory for predicting.
  struct Computed {
    std::uint64_t prediction = 0;  ///< the prediction it holds; 0 if none
    std::unique_ptr<Forecast> forecast;
  };
  /// The observations of the predictions of one assignment.
  struct Part {
    std::variant<BatchMean, BatchStatistics> mean;
    PlayedSums played;
  };

  Participant(SharedPlan shared, Plan plan, std::uint32_t client, Limits limits,
              std::optional<AskedExperts> experts);
  static Result<Limits> limits_of(const SharedPlan& plan);

  [[nodiscard]] Status check(const AssignmentRecord& assignment) const;
  [[nodiscard]] std::shared_ptr<Models> models_of(AssignmentRecord record) const;
  /// Completes x with the forecasts of experts that the models need and that are asked.
  Status ask_experts(const Models& models, Pending& one) const;
  [[nodiscard]] bool is_target(double y) const;
  Computed take_forecast(std::uint64_t prediction);
  std::optional<Pending> take_pending(std::uint64_t id);
  // The rest is called while the mutex is locked.
  void remember(std::uint64_t id, Pending one);
  bool count(const Pending& one, const Forecast& forecast, double y);
  /// Adds an example to the sums of the open batch, or keeps it until the next models come.
  /// `forecast` is used for it, and holds the prediction if that `is_computed`.
  void count_in_sums(Pending one, double y, Forecast& forecast, bool is_computed);
  /// Lets examples that are too few for a report of sums count in the next batch.
  void keep_unsent();
  /// Adds the examples that were to wait for these models.
  void count_waiting();
  [[nodiscard]] bool unanswered() const;
  [[nodiscard]] bool too_old(std::uint64_t sampled_in) const;
  [[nodiscard]] bool stale(const Models& models) const;
  void compare(const Models& models);
  void forget_after(std::uint64_t batch);
  void forget_old_predictions();
  [[nodiscard]] std::uint64_t waiting_observations() const;
  [[nodiscard]] Part new_part(const Models& models) const;
  /// Returns whether the observations may be sent, now or when there are more of them.
  [[nodiscard]] bool can_send(const Part& part) const { return rule_.sends(part.played.forecasts); }

  const SharedPlan shared_;
  const Plan plan_;
  const std::uint32_t client_;
  const UploadRule rule_;
  const Limits limits_;
  const std::optional<AskedExperts> experts_;
  const std::size_t most_pending_;  ///< the predictions that fit kPendingBytes

  mutable std::mutex mutex_;  // guards everything below
  std::shared_ptr<const Models> models_;
  std::vector<Computed> forecasts_;  ///< that are not in use, the newest last
  std::unordered_map<std::uint64_t, Pending> pending_;
  std::deque<std::uint64_t> order_;  ///< ids of predictions, some no longer pending
  std::uint64_t next_id_ = 1;
  std::map<std::uint64_t, Part> parts_;  ///< by the batch in which the models were drawn
  std::uint64_t open_ = 0;               ///< the batch that the server asked for last
  std::uint64_t answered_ = 0;           ///< the last batch that was answered
  std::uint64_t history_ = 0;  ///< counts how often the server lost batches that were seen here
  std::uint64_t fork_ = 0;     ///< the last batch before the latest loss
  std::uint64_t start_ = 0;    ///< the latest start of the server
  std::uint64_t durable_ = 0;  ///< the last durable batch, as the server said
  /// After a new start of the server: batches up to this one are known to be unchanged.
  std::optional<std::uint64_t> agreed_;
  using Labelled = std::vector<std::pair<Pending, double>>;
  Labelled waiting_;  ///< examples for the sums of the next batch
  Labelled unsent_;   ///< those of the open one, as long as they are too few to be sent
  RetainedReports retained_;
  std::optional<PersonalLayer> personal_;
  Counts counts_;
};

}  // namespace caucus
