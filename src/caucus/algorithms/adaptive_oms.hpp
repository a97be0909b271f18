// FOMD-OMS with the adaptive schedule: the same sampling, client work and upload, and J - 1 more
// floats down, but no horizon, no rates and no constants.
//   prediction     the mean of the held models by their probabilities, so that for a convex loss it
//                  is in expectation never worse than A_1 alone
//   probabilities  AdaHedge on unbiased estimates of c_i - sum_k p_k c_k, from pairs of models that
//                  one client held in the same round
//   models         second-order steps where d_i^2 numbers are affordable, else first-order ones
// docs/adaptive.md says what was tried and what is and is not proved.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "caucus/algorithms/oms_server.hpp"
#include "caucus/core/base/aligned.hpp"
#include "caucus/core/base/float_arena.hpp"
#include "caucus/core/base/state_io.hpp"
#include "caucus/core/mirror/adahedge.hpp"
#include "caucus/core/sampling/departures.hpp"
#include "caucus/core/solvers/first_order.hpp"
#include "caucus/core/solvers/second_order.hpp"
#include "caucus/result.hpp"

namespace caucus {

struct AdaptiveSettings {
  std::shared_ptr<const Plan> plan;
  std::size_t sample_size = 2;     ///< J
  std::vector<bool> second_order;  ///< one per space
  double fixed_share = 0.0;        ///< share of the past forgotten per batch
  std::uint64_t seed = 1;
  std::uint32_t repetition = 0;
  bool clips_reports = false;  ///< whether reports of unusual losses count less
};

/// Returns which spaces get second-order steps: those of at most 500 dimensions as long as the
/// matrices of all of them, times `copies` (noncooperative clients have their own), stay below 2
/// GB; none for the linear loss, which has no curvature, and none in a set of the user's own.
std::vector<bool> affordable_second_order(const Plan& plan, std::size_t copies);

class AdaptiveOms : public OmsServer<AdaptiveOms, AdaptiveSettings> {
 public:
  using Aggregate = KeptReports;
  static constexpr bool kFirstPredicts = false;

  [[nodiscard]] bool clips_reports() const { return settings_->clips_reports; }

  explicit AdaptiveOms(std::shared_ptr<const AdaptiveSettings> settings);

  void aggregate(ReportBatch& reports, KeptReports& into) const { into.keep(reports); }
  void step(const Batch& batch, const KeptReports& reports);
  [[nodiscard]] KeptReports new_aggregate() const { return {}; }

  /// Writes all that later batches depend on. restore() is for a new server with the same settings,
  /// which must be discarded after an error.
  void save(StateWriter& to) const;
  Status restore(StateReader& from);

  [[nodiscard]] const Simplex& probabilities() const { return hedge_.probabilities(); }
  [[nodiscard]] bool is_second_order(std::size_t space) const {
    return std::holds_alternative<SecondOrderModel>(learners_[space]);
  }

  /// D_i = (1/M_r) sum over clients, over k != i held with i, of p_k (c_i - c_k) / P_ik, where P_ik
  /// is the probability that a client holds both, when it drew. It is unbiased for
  /// c_i - sum_k p_k c_k and lasts until the next call.
  [[nodiscard]] std::span<const double> estimated_differences(const KeptReports& reports);

 private:
  using Learner = std::variant<std::monostate, SecondOrderModel, FirstOrderModel>;

  /// The reports of one space in a batch.
  struct Touched {
    std::uint32_t space = 0;
    std::span<const simd::Term> gradients;
    std::span<const float> losses;
    std::span<const std::uint32_t> examples;
    // Used only if there are late reports:
    std::span<const double> scales;  ///< share P_i / (P_i when it was drawn)
    std::span<const double> slopes;  ///< <g, w> where g was taken; NaN means at the present w

    [[nodiscard]] double scale(std::size_t n) const { return scales.empty() ? 1.0 : scales[n]; }
  };
  static std::span<const double> late_part(std::span<const double> all, std::size_t begin,
                                           std::size_t count) {
    return all.empty() ? all : all.subspan(begin, count);
  }
  /// Returns the reports of the n-th touched space.
  [[nodiscard]] Touched touched(std::size_t n) const {
    const std::size_t begin = n > 0 ? ends_of_[touched_[n - 1]] : 0;
    const std::size_t count = ends_of_[touched_[n]] - begin;
    return {touched_[n],
            {sorted_gradients_.data() + begin, count},
            {sorted_losses_.data() + begin, count},
            {sorted_examples_.data() + begin, count},
            late_part(sorted_scales_, begin, count),
            late_part(sorted_slopes_, begin, count)};
  }

  /// Returns |phi_i|^2 where it is known: random features with the square loss have 1.
  [[nodiscard]] double known_size(std::size_t space) const;
  void forget_departed(double stayed);
  [[nodiscard]] Status restore_memory(StateReader& from);
  void step_models(const KeptReports& reports);
  void sort_by_space(const KeptReports& reports);
  // These functions serve late reports and parts of a report.
  /// Returns <g, w> where the gradient of a model was taken; NaN means at the present w.
  [[nodiscard]] double slope_of(const ReportBatch& reports, std::size_t model);
  /// Returns the weights of the difference of the losses of two models of one report.
  [[nodiscard]] PairWeights pair_weights_of(const ReportBatch& reports, std::size_t a,
                                            std::size_t b) const;
  void forget(const Touched& touched, SecondOrderModel& model);
  void step_second_order(const Touched& touched, SecondOrderModel& model);
  void step_first_order(std::size_t reporters);
  void observe(const Touched& touched, std::size_t n, double weight, SecondOrderModel& model);
  /// Returns the gradients multiplied by their scales; they last until the next call.
  std::span<const simd::Term> scaled(const Touched& touched);
  /// The gradient of the result lasts until gradients_ is cleared.
  RoundSums sums_of(const Touched& touched, std::size_t reporters);
  /// Writes a gradient out; the result lasts until the next call.
  std::span<const float> written(const simd::Term& gradient, std::size_t dimension);

  AdaHedge hedge_;
  std::vector<Learner> learners_;  ///< a frozen expert has none
  Departures departures_;
  double remembered_ = 1.0;              ///< share of the first reports that still counts
  std::vector<double> remembered_of_;    ///< the same when each model was last held
  std::size_t batches_ = 0;              ///< batches that had reports
  std::vector<std::size_t> last_batch_;  ///< the last batch in which each model was held

  // While stepping. What was reported, sorted by space; touched_ are the spaces, in order of first
  // touch, and of each of them ends_of_ tells where its own end.
  std::vector<std::uint32_t> touched_, ends_of_;
  std::vector<simd::Term> sorted_gradients_;
  std::vector<float> sorted_losses_;
  std::vector<std::uint32_t> sorted_examples_;
  std::vector<double> sorted_scales_, sorted_slopes_;  ///< empty unless there are late reports
  AlignedVector<float> gradient_;
  std::vector<double> squares_, differences_;
  std::vector<std::uint32_t> first_order_;  ///< those touched that take such steps, with
  std::vector<RoundSums> sums_;
  std::vector<simd::Term> scaled_;
  std::vector<double> rates_;
  FloatArena gradients_;
};

}  // namespace caucus
