// The personal layer: what a client learns from its own rows about its own targets, and never
// sends. It mixes eight forecasts by their losses on this client (prior_hedge.hpp). F is the
// federated forecast, L the last target known at the time, and x is divided by sqrt(d):
//   federated        F
//   offset           F + ridge on 1
//   rescaled         F + ridge on (1, L, F), which forgets
//   corrected        F + ridge on (x, 1, L, F), which forgets
//   alone            ridge on (x, 1)
//   recent           ridge on (x, 1), which forgets
//   recent_and_last  ridge on (x, 1, L), which forgets
//   persistence      L
// Before the first federated forecast the last four are mixed. Then the plain federated forecast
// has the prior 0.8, so that the layer costs little where clients are alike. A client with fewer
// than ten rows of its own gives it the prior 0.94 and lets the weights move slowly: rows of all
// clients know more than so few.
//
// This serves the losses of real targets. If each class has an output of its own, class_layer.hpp
// does the same for probabilities. For two classes with one output (logistic, hinge) and the linear
// loss the layer passes the federated forecast through: least squares on the scores of classes
// answers another question. Before the first federated forecast of two classes it gives the
// log-odds of the probabilities that class_layer.hpp finds in the client's own rows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "caucus/core/base/state_io.hpp"
#include "caucus/core/personal/change_detector.hpp"
#include "caucus/core/personal/class_layer.hpp"
#include "caucus/core/personal/prior_hedge.hpp"
#include "caucus/core/personal/recursive_ridge.hpp"
#include "caucus/loss.hpp"
#include "caucus/result.hpp"

namespace caucus {

/// A forecast that waits for its target. Callers whose targets come late or out of order keep it.
struct PersonalForecast {
  std::vector<float> x;
  std::optional<double> federated;
  std::optional<double> last_target;  ///< the latest that was known
  double given = 0.0;
  // If each class has an output:
  std::vector<double> outputs = {};  ///< of the federated models; empty as long as there are none
  std::vector<double> probabilities = {};  ///< that were given
};

/// Sums of losses over observed examples. A federated forecast or last target that did not exist
/// counts as the forecast 0. Where the layer passes the federated forecasts through, `alone` is
/// their loss too.
struct PersonalRecord {
  std::uint64_t examples = 0;
  double given = 0.0;              ///< of the forecasts of the layer
  double federated = 0.0;          ///< of the federated forecasts
  double alone = 0.0;              ///< of the ridge on (x, 1) with the client's own rows
  double persistence = 0.0;        ///< of the last targets
  double federated_squares = 0.0;  ///< squared errors of the federated forecasts

  void add(const PersonalRecord& other) {
    examples += other.examples;
    given += other.given;
    federated += other.federated;
    alone += other.alone;
    persistence += other.persistence;
    federated_squares += other.federated_squares;
  }
  friend bool operator==(const PersonalRecord&, const PersonalRecord&) = default;
};

class PersonalLayer {
 public:
  explicit PersonalLayer(std::size_t dimension, const Loss& loss = {});

  /// Returns the forecast for x. `federated` is empty as long as there are no federated models; a
  /// number that is not finite counts as empty.
  double predict(std::span<const float> x, std::optional<double> federated);
  /// Writes the probabilities of the classes for x. `outputs` are those of the federated models,
  /// empty as long as there are none.
  void predict(std::span<const float> x, std::span<const double> outputs, std::span<double> into);
  /// Learns the target of the last prediction, which must not have been observed yet.
  void observe(double y);

  /// Returns the last prediction, to be observed later.
  [[nodiscard]] const PersonalForecast& last_forecast() const { return last_; }
  /// Learns the target of an earlier prediction. Targets may come in any order; each counts as the
  /// last target from now on.
  void observe(const PersonalForecast& forecast, double y);

  /// Returns the record since the last call of take_record().
  [[nodiscard]] const PersonalRecord& record() const { return record_; }
  PersonalRecord take_record() { return std::exchange(record_, {}); }
  /// Returns whether the federated forecasts have become worse since the last call of end_batch().
  [[nodiscard]] bool has_change() const { return has_change_; }
  /// Says that the examples so far are uploaded. Returns has_change().
  bool end_batch() {
    detector_.end_batch();
    alone_detector_.end_batch();
    return std::exchange(has_change_, false);
  }
  /// Returns a bound on the size of all forecasts if no target and no federated forecast is larger
  /// than these numbers.
  [[nodiscard]] static double largest_forecast(double target, double federated);

  struct Weight {
    std::string_view name;
    double weight = 0.0;
  };
  static constexpr std::size_t kCandidates = 8;
  /// Returns the weights of the next forecast, which sum to 1.
  [[nodiscard]] std::array<Weight, kCandidates> weights() const;

  /// restore() needs an object that was constructed alike; discard it after an error.
  void save(StateWriter& to) const;
  Status restore(StateReader& from);

 private:
  using Numbers = std::array<double, kCandidates>;

  /// Fills features_ and candidates_ for a forecast.
  void prepare(const PersonalForecast& forecast);
  [[nodiscard]] double mixture(const PersonalForecast& forecast) const;
  void reweigh(const PersonalForecast& forecast, double y);
  /// Returns a mixing cost with which few rows cannot deceive the mixture.
  [[nodiscard]] double least_cost() const;
  void learn(const PersonalForecast& forecast, double y);
  /// Returns the forecast of two classes before there are federated ones; 0 for the linear loss.
  double own_score(const PersonalForecast& forecast);
  void observe_class(const PersonalForecast& forecast, std::size_t y);
  /// Notices if a federated forecast is one of many that have become worse.
  void notice_change(double federated, double y);
  /// Forgets what no longer holds after a change, if the layer still relied on the federated
  /// forecasts: the regressions that forget, and which forecasts were good.
  void restart();

  Loss loss_;
  std::optional<ClassLayer> classes_;  ///< if each class has an output; what follows is not used
  bool passes_through_;
  std::optional<ClassLayer> own_classes_;  ///< of two classes, until there are federated forecasts
  double feature_scale_;
  RecursiveRidge alone_;     ///< on (x, 1) -> y
  RecursiveRidge recent_;    ///< on (x, 1, L, F) -> (y, y - F), forgets
  RecursiveRidge rescaled_;  ///< on (1, L, F) -> y - F, forgets
  double residuals_ = 0.0;   ///< the sum of y - F over the examples with a federated forecast
  double corrected_ = 0.0;   ///< the number of these examples
  PriorHedge hedge_;
  bool has_federated_ = false;  ///< whether a federated forecast has been observed
  std::optional<double> last_target_;
  double least_ = 0.0, largest_ = 0.0;  ///< of the targets
  double recent_loss_ = 0.0;            ///< of the forecasts given, a mean over about 5 examples
  double recent_count_ = 0.0;
  PersonalRecord record_;
  ChangeDetector detector_;        ///< of the errors of the federated forecasts
  ChangeDetector alone_detector_;  ///< of those of the client's own regression
  /// The examples after which they noticed a change last; 0 for never.
  std::uint64_t worse_at_ = 0, alone_worse_at_ = 0;
  bool has_change_ = false;
  std::uint64_t observed_ = 0;  ///< examples so far
  PersonalForecast last_;
  std::vector<double> repeated_;  ///< probabilities that are computed again
  bool awaits_target_ = false;    ///< whether last_ may be observed

  bool prepared_ = false;  ///< whether what follows is that of last_
  std::vector<double> features_;
  RecursiveRidge::Projection of_alone_, of_recent_, of_rescaled_;
  Numbers candidates_{};
  double basis_ = 0.0;  ///< F, or what stands in for it
};

}  // namespace caucus
