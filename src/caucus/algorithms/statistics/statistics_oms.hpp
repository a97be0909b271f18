// FOMD-OMS under the adaptive schedule: clients keep the sums that least squares needs for the
// models they hold, and send them in batches that grow. The server adds them up, solves for each
// model exactly, and weighs the spaces by the losses of their models on batches that these had not
// seen.
//   prediction     the mean of the held models by their probabilities, corrected by the client's
//                  personal layer (core/personal)
//   probabilities  AdaHedge on estimates of the differences of the spaces' losses; older batches
//                  count less
//   models         exact least squares with a ridge; other losses by a quadratic around the models
//                  that were sent
// The sums of a kernel with an intercept contain those of a linear space with an intercept. So for
// the square loss the server learns such a linear space from all clients, held or not, and knows
// its loss on every batch. Every client holds it beside the J others that are drawn, and these are
// compared with it. Without such a space pairs of models that one client held are compared.
// If each class has an output, the loss of a space is the sum of the square losses of its outputs.
// docs/adaptive.md says what was tried and what is and is not proved.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "caucus/algorithms/oms_server.hpp"
#include "caucus/algorithms/statistics/batch_statistics.hpp"
#include "caucus/algorithms/statistics/map_sums.hpp"
#include "caucus/algorithms/statistics/robust_factors.hpp"
#include "caucus/algorithms/statistics/young_sums.hpp"
#include "caucus/core/base/state_io.hpp"
#include "caucus/core/mirror/adahedge.hpp"
#include "caucus/core/personal/personal_layer.hpp"
#include "caucus/core/statistics/error_bars.hpp"
#include "caucus/core/statistics/upload_rule.hpp"
#include "caucus/result.hpp"

namespace caucus {

/// Returns the first linear space with an intercept, if the others can be compared with it: every
/// client holds it beside the J others that are drawn.
std::optional<std::uint32_t> reference_space(std::span<const Space> spaces, const Loss& loss);

struct StatisticsSettings {
  std::shared_ptr<const Plan> plan;
  std::size_t sample_size = 2;  ///< J
  UploadRule uploads;
  bool personal = true;      ///< whether clients have a personal layer
  double fixed_share = 0.0;  ///< share of the past forgotten per round
  std::size_t clients = 1;   ///< M, the number of examples in a round
  std::uint64_t seed = 1;
  std::uint32_t repetition = 0;
  Robust robust = Robust::none;
};

/// Sums of the differences of the losses of the spaces.
struct LossDifferences {
  double examples = 0.0;
  std::vector<double> sums;      ///< one per space
  std::vector<double> compared;  ///< the examples behind each

  void add(const LossDifferences& other);
  void clear();
};

/// The sums over the reports of one batch.
struct BatchSums : BatchMapSums {
  LossDifferences losses;
  BatchMapSums young;                  ///< of reports that count in the young memory
  std::vector<MemoryLosses> memories;  ///< of each report
  double squares = 0.0;    ///< errors of the federated forecasts, at most; for the square loss
  double forecasts = 0.0;  ///< the number of these forecasts
  KeptReports kept;        ///< if they are weighed together (robust_factors.hpp), all reports
  WeighedReport report;    ///< used while aggregating: one report
  SymmetricMatrix judged;  ///< used while aggregating: its sums that both memories predict

  void clear();
};

class StatisticsOms : public OmsServer<StatisticsOms, StatisticsSettings> {
 public:
  using Aggregate = BatchSums;
  using BatchMean = BatchStatistics;
  using ClientState = std::optional<PersonalLayer>;
  static constexpr bool kFirstPredicts = false;
  static constexpr bool kOmsClients = false;

  explicit StatisticsOms(std::shared_ptr<const StatisticsSettings> settings);

  /// A space without statistics does not predict.
  void assign(const Batch& batch, std::uint32_t client, Assignment& into);
  void predict(ClientState& memory, const Assignment& assignment, std::span<const float> x,
               Forecast& into) const;
  void report(ClientState& memory, const Forecast& forecast, double y, BatchStatistics& into) const;
  /// Returns the forecast of a client whose models predict `federated` for x.
  [[nodiscard]] double personal_forecast(ClientState& memory, const Assignment& assignment,
                                         std::span<const float> x, double federated) const;
  /// Writes the probabilities of the classes for a client whose models have these mean outputs, and
  /// returns the likeliest class. Both may be the same memory.
  double personal_classes(ClientState& memory, const Assignment& assignment,
                          std::span<const float> x, std::span<const double> federated,
                          std::span<double> into) const;
  [[nodiscard]] BatchStatistics new_mean() const { return {plan(), settings_->uploads}; }
  void aggregate(ReportBatch& reports, BatchSums& into) const;
  void step(const Batch& batch, const BatchSums& aggregate);
  [[nodiscard]] BatchSums new_aggregate() const;

  [[nodiscard]] LearnedModel learned() const;
  /// Returns the sums of (y, z) of a space over all examples that its clients reported, as they
  /// are; null if there are none such: the loss is not the square loss, sums were weighted or
  /// forgotten, or reports may lack coordinates.
  [[nodiscard]] const MapSums* complete_sums(std::size_t space) const;

  /// Writes all that later batches depend on. restore() is for a new server with the same settings,
  /// which must be discarded after an error.
  void save(StateWriter& to) const;
  Status restore(StateReader& from);

  [[nodiscard]] const Simplex& probabilities() const { return hedge_.probabilities(); }

 private:
  static constexpr double kRidge = 0.003;
  /// Models and probabilities are computed anew when the examples have grown by this share.
  static constexpr double kNoticeable = 0.05;

  /// Returns whether a space has a model; a frozen expert always has.
  [[nodiscard]] bool is_known(std::size_t space) const {
    return plan().maps.dimension(space) == 0 || sums_[plan().maps.map_of(space)].examples > 0.0;
  }
  /// Returns whether the loss of a space is known on every batch.
  [[nodiscard]] bool is_linear(std::size_t space) const {
    return reference_ && plan().maps.map_of(space) == plan().maps.map_of(*reference_);
  }
  /// Returns the number of targets in the sums: one, or one for each class.
  [[nodiscard]] std::size_t targets() const { return plan().loss.outputs(); }
  /// Returns whether reports are weighed against each other before they are added up.
  [[nodiscard]] bool weighs() const { return settings_->robust != Robust::none; }
  /// Lists the sums of a report by maps, with those of the reference if they are known. They lie
  /// in the report and in the result.
  void list(const ReportBatch& reports, std::size_t report, WeighedReport& into) const;
  /// Writes the triangle of the sums of (y, x, 1) in a report, empty if there is none.
  void find_linear_triangle(const ReportBatch& reports, std::size_t report,
                            std::vector<float>& into) const;
  /// Adds one report, whose sums of each map count with a factor.
  void add(const ReportBatch& reports, std::size_t report, const WeighedReport& weighed,
           BatchSums& into) const;
  /// Finds the sums of a report that both memories predict: those of the reference, or else of the
  /// first model that is known. Returns the space.
  std::optional<std::uint32_t> find_judged(const ReportBatch& reports, std::size_t report,
                                           const WeighedReport& weighed, BatchSums& into) const;
  /// Returns the loss of the model of a space on the examples of some sums.
  [[nodiscard]] double loss_of(const SymmetricMatrix& sums, std::uint32_t space) const;
  /// Returns whether the model that the client had predicts its examples much better than the
  /// present one: then they are from before a change that the server has followed.
  [[nodiscard]] bool is_outdated(const ReportBatch& reports, std::size_t report,
                                 std::uint32_t judged, const BatchSums& sums) const;
  /// Adds the mean of the losses of the models of a report by their probabilities, which no
  /// forecast of that client exceeds in the mean.
  void add_errors(const ReportBatch& reports, std::size_t report, const WeighedReport& weighed,
                  BatchSums& into) const;
  /// Compares the losses of a report with that of the reference.
  void compare_with_reference(const ReportBatch& reports, std::size_t report,
                              const WeighedReport& weighed, BatchSums& into) const;
  /// Compares the losses of the models of a report with each other. The differences are unbiased
  /// estimates of c_i - sum_k p_k c_k.
  void compare_pairs(const ReportBatch& reports, std::size_t report, const WeighedReport& weighed,
                     BatchSums& into) const;
  /// Weighs the reports of a batch against each other and adds them up. Coordinates of which only
  /// doubtful reports have sums are left out: however small their factor, they would decide alone.
  [[nodiscard]] BatchSums weighed(const KeptReports& kept);
  /// Returns the share of what was learned before that still counts after this many examples.
  [[nodiscard]] double share_kept(double examples) const;
  void learn(const BatchSums& sums);
  /// Lets the young memory replace that of all examples if it predicts better.
  void follow_change(const BatchSums& sums, double kept);
  /// Computes the models of maps with noticeably more examples than when they were computed last.
  void solve_grown(std::span<const std::uint32_t> touched);
  void solve(std::size_t space);
  [[nodiscard]] std::vector<double> solution(std::size_t space, const MapSums& sums) const;
  /// Computes the models by which the young memory is judged.
  void solve_young(std::span<const std::uint32_t> touched);
  [[nodiscard]] Ridge ridge_of(std::size_t space) const;
  /// Moves p by the waiting differences, if they are over enough examples.
  void move_probabilities();
  /// Computes others_ after a change of p.
  void set_others();

  std::optional<std::uint32_t> reference_;  ///< a linear space that the others are compared with
  AdaHedge hedge_;
  Simplex others_;              ///< p of the spaces except the reference
  ClientSampler sampler_;       ///< draws from them
  std::vector<double> shares_;  ///< used while assigning
  std::vector<MapSums> sums_;   ///< by map
  double examples_ = 0.0;       ///< behind p
  LossDifferences waiting_;     ///< that have not moved p yet
  RobustFactors robust_;
  RecentErrors errors_;
  YoungSums young_;
  std::vector<std::vector<double>> young_models_;  ///< by map; a function of young_
};

}  // namespace caucus
