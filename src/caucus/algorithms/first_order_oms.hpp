// FOMD-OMS without constants, by first-order steps: the same sampling, client work and upload as
// the paper's, and J - 1 more floats down, but no horizon, no rates and no bounds.
//   prediction     the mean of the held models by their probabilities, so that for a convex loss it
//                  is in expectation never worse than A_1 alone
//   probabilities  AdaHedge on unbiased estimates of c_i - sum_k p_k c_k, from pairs of models that
//                  one client held in the same round
//   models         gradient steps of a length that adapts (core/solvers/first_order.hpp)
// docs/adaptive.md says what was tried and what is and is not proved.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "caucus/algorithms/oms_server.hpp"
#include "caucus/algorithms/robust.hpp"
#include "caucus/core/base/aligned.hpp"
#include "caucus/core/base/float_arena.hpp"
#include "caucus/core/base/state_io.hpp"
#include "caucus/core/mirror/adahedge.hpp"
#include "caucus/core/sampling/departures.hpp"
#include "caucus/core/solvers/first_order.hpp"
#include "caucus/options.hpp"
#include "caucus/result.hpp"

namespace caucus {

struct FirstOrderSettings {
  std::shared_ptr<const Plan> plan;
  std::size_t sample_size = 2;  ///< J
  double fixed_share = 0.0;     ///< share of p spread anew per batch
  std::uint64_t seed = 1;
  std::uint32_t repetition = 0;
  Robust robust = Robust::none;  ///< the protection against clients that lie
};

class FirstOrderOms : public OmsServer<FirstOrderOms, FirstOrderSettings> {
 public:
  using Aggregate = KeptReports;
  static constexpr bool kFirstPredicts = false;

  [[nodiscard]] Robust robust() const { return settings_->robust; }

  explicit FirstOrderOms(std::shared_ptr<const FirstOrderSettings> settings);

  void aggregate(ReportBatch& reports, KeptReports& into) const { into.keep(reports); }
  void step(const Batch& batch, const KeptReports& reports);
  [[nodiscard]] KeptReports new_aggregate() const { return {}; }

  /// Writes all that later batches depend on. restore() is for a new server with the same settings,
  /// which must be discarded after an error.
  void save(StateWriter& to) const;
  Status restore(StateReader& from);

  [[nodiscard]] const Simplex& probabilities() const { return hedge_.probabilities(); }

  /// D_i = (1/M_r) sum over clients, over k != i held with i, of p_k (c_i - c_k) / P_ik, where P_ik
  /// is the probability that a client holds both, when it drew. It is unbiased for
  /// c_i - sum_k p_k c_k and lasts until the next call.
  [[nodiscard]] std::span<const double> estimated_differences(const KeptReports& reports);

 private:
  /// The reports of one space in a batch.
  struct Touched {
    std::uint32_t space = 0;
    std::span<const simd::Term> gradients;
    std::span<const float> losses;
    std::span<const std::uint32_t> examples;
    /// Used only if there are late reports: share * P_i / (P_i when the model was drawn).
    std::span<const double> scales;

    [[nodiscard]] double scale(std::size_t n) const { return scales.empty() ? 1.0 : scales[n]; }
  };
  /// Returns the reports of the n-th touched space.
  [[nodiscard]] Touched touched(std::size_t n) const {
    const std::size_t begin = n > 0 ? ends_of_[touched_[n - 1]] : 0;
    const std::size_t count = ends_of_[touched_[n]] - begin;
    return {touched_[n],
            {sorted_gradients_.data() + begin, count},
            {sorted_losses_.data() + begin, count},
            {sorted_examples_.data() + begin, count},
            sorted_scales_.empty() ? std::span<const double>()
                                   : std::span<const double>(sorted_scales_).subspan(begin, count)};
  }

  /// Returns |phi_i|^2 where it is known: random features with the square loss have 1.
  [[nodiscard]] double known_size(std::size_t space) const;
  void step_models(const KeptReports& reports);
  void sort_by_space(const KeptReports& reports);
  /// Returns the weights of the difference of the losses of two models of one report.
  [[nodiscard]] PairWeights pair_weights_of(const ReportBatch& reports, std::size_t a,
                                            std::size_t b) const;
  /// Returns the gradients multiplied by their scales; they last until the next call.
  std::span<const simd::Term> scaled(const Touched& touched);
  /// The gradient of the result lasts until gradients_ is cleared.
  RoundSums sums_of(const Touched& touched, std::size_t reporters);

  AdaHedge hedge_;
  std::vector<FirstOrderModel> learners_;  ///< one per space; that of a frozen expert is not used
  Departures departures_;

  // Used while stepping: the reports, sorted by space. touched_ has the spaces that learn, in the
  // order of their first report, and ends_of_ where the reports of each space end.
  std::vector<std::uint32_t> touched_, ends_of_;
  std::vector<simd::Term> sorted_gradients_;
  std::vector<float> sorted_losses_;
  std::vector<std::uint32_t> sorted_examples_;
  std::vector<double> sorted_scales_;  ///< empty unless there are late reports
  std::vector<double> squares_, differences_;
  std::vector<RoundSums> sums_;
  std::vector<simd::Term> scaled_;
  std::vector<double> rates_;
  FloatArena gradients_;
};

}  // namespace caucus
