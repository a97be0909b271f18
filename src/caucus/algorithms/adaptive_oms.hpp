// FOMD-OMS with the adaptive schedule: the same sampling, client work and upload, and J - 1 more
// floats down, but no horizon, no rates and no constants.
//   forecast       the mean of the held models by their probabilities, so that for a convex loss it
//                  is in expectation never worse than A_1 alone
//   probabilities  AdaHedge on unbiased estimates of c_i - sum_k p_k c_k, from pairs of models that
//                  one client held in the same round
//   models         second-order steps where d_i^2 numbers are affordable, else first-order ones
// docs/adaptive.md tells what was tried and what is and is not proved.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "caucus/algorithms/learned_model.hpp"
#include "caucus/algorithms/oms_client.hpp"
#include "caucus/algorithms/round.hpp"
#include "caucus/core/base/aligned.hpp"
#include "caucus/core/base/float_arena.hpp"
#include "caucus/core/base/state_io.hpp"
#include "caucus/core/features/model_weights.hpp"
#include "caucus/core/mirror/adahedge.hpp"
#include "caucus/core/sampling/departures.hpp"
#include "caucus/core/sampling/sampling.hpp"
#include "caucus/core/solvers/first_order.hpp"
#include "caucus/core/solvers/second_order.hpp"
#include "caucus/result.hpp"

namespace caucus {

struct AdaptiveSettings {
  std::shared_ptr<const Plan> plan;
  std::size_t sampled = 2;         ///< J
  std::vector<bool> second_order;  ///< one per space
  double fixed_share = 0.0;        ///< for drifting data
  std::uint64_t seed = 1;
  std::uint32_t repetition = 0;
};

/// Which spaces get second-order steps: those of at most 500 dimensions as long as the matrices of
/// all of them, times `copies` (noncooperative clients have their own), stay below 2 GB; none for
/// the linear loss, which has no curvature, and none in a set of the user's own.
std::vector<bool> affordable_second_order(const Plan& plan, std::size_t copies);

/// All reports of one batch: the batches that were handed in, whose memory it takes over.
class AdaptiveAggregate {
 public:
  void clear();

 private:
  friend class AdaptiveOms;
  [[nodiscard]] std::span<const ReportBatch> batches() const { return {batches_.data(), used_}; }

  std::size_t reporters_ = 0;         ///< M_r
  bool prompt_ = true;                ///< no report is late, or a part of one
  std::vector<ReportBatch> batches_;  ///< the first used_ are in use
  std::size_t used_ = 0;
};

class AdaptiveOms {
 public:
  using Assignment = caucus::Assignment;
  using Forecast = caucus::Forecast;
  using BatchMean = caucus::BatchMean;
  using Aggregate = AdaptiveAggregate;
  using ClientState = NoMemory;
  static constexpr bool kCooperative = true;
  static constexpr bool kOmsClients = true;  ///< predict and report are those of oms_client.hpp
  static constexpr bool kFirstPredicts = false;

  explicit AdaptiveOms(std::shared_ptr<const AdaptiveSettings> settings);

  void assign(const Batch& batch, std::uint32_t client, Assignment& into);
  /// The same for several clients, one after another, with the caller's sampler: for several
  /// threads.
  void assign(const Batch& batch, std::uint32_t first_client, std::size_t clients,
              ClientSampler& sampler, const HeldPlaces& into) const;
  /// For the clients of this server, who all draw from its p.
  [[nodiscard]] ClientSampler new_sampler() const { return sampler_.of_one_p(); }
  /// For one who has many servers (Noncooperative).
  [[nodiscard]] const ClientSampler& sampler_of_any_p() const { return sampler_; }
  void predict(NoMemory&, const Assignment& assignment, std::span<const float> x,
               Forecast& into) const {
    predict_with_held(*settings_->plan, assignment, x, into);
  }
  void report(NoMemory&, const Forecast& forecast, double y, BatchMean& into) const {
    report_held(*settings_->plan, forecast, y, into);
  }
  /// Takes the reports over and leaves an empty batch, with memory to be used again.
  void aggregate(ReportBatch& reports, AdaptiveAggregate& into) const;
  void step(const Batch& batch, const AdaptiveAggregate& aggregate);

  /// All that later batches depend on, to the last bit. restore() is for a server fresh from the
  /// same settings, which is to be thrown away after an error.
  void save(StateWriter& to) const;
  Status restore(StateReader& from);

  [[nodiscard]] Forecast new_forecast() const { return Forecast(settings_->plan->maps); }
  [[nodiscard]] AdaptiveAggregate new_aggregate() const { return {}; }

  [[nodiscard]] std::size_t upload_bits(const HeldSize& held) const {
    return held_upload_bits(held, models());
  }
  /// One share less than models: they sum to 1.
  [[nodiscard]] std::size_t download_bits(const HeldSize& held) const {
    return held_download_bits(held, models()) + 32 * (held.models - held.clients);
  }
  [[nodiscard]] std::size_t upload_bits(const Assignment& assignment) const {
    return upload_bits(size_of(assignment));
  }
  [[nodiscard]] std::size_t download_bits(const Assignment& assignment) const {
    return download_bits(size_of(assignment));
  }

  [[nodiscard]] const Plan& plan() const { return *settings_->plan; }
  [[nodiscard]] std::size_t sampled() const { return settings_->sampled; }  ///< J
  [[nodiscard]] std::size_t models() const { return hedge_.probabilities().size(); }
  [[nodiscard]] const Simplex& probabilities() const { return hedge_.probabilities(); }
  /// P_i of those who draw now.
  [[nodiscard]] double inclusion(std::size_t space) const;
  [[nodiscard]] std::span<const float> weights(std::size_t space) const { return weights_[space]; }
  [[nodiscard]] bool is_second_order(std::size_t space) const {
    return std::holds_alternative<SecondOrderModel>(learners_[space]);
  }
  [[nodiscard]] std::vector<double> selection() const { return probabilities().probabilities(); }
  [[nodiscard]] LearnedModel learned() const { return learned_from(probabilities(), weights_); }

  /// D_i = (1/M_r) sum over clients, over k != i held with i, of p_k (c_i - c_k) / P_ik, where P_ik
  /// is the probability that a client holds both, when it drew. Unbiased for c_i - sum_k p_k c_k.
  /// Lasts until the next call.
  [[nodiscard]] std::span<const double> estimated_differences(const AdaptiveAggregate& aggregate);

 private:
  using Learner = std::variant<std::monostate, SecondOrderModel, FirstOrderModel>;

  /// What a round's reports say of one space.
  struct Touched {
    std::uint32_t space = 0;
    std::span<const simd::Term> gradients;
    std::span<const float> losses;
    std::span<const std::uint32_t> examples;
    // Only where there are late reports:
    std::span<const double> scales;  ///< share P_i / (P_i when it was drawn)
    std::span<const double> slopes;  ///< <g, w> where g was taken; NaN: at w as it is now

    [[nodiscard]] double scale(std::size_t n) const { return scales.empty() ? 1.0 : scales[n]; }
  };
  static std::span<const double> late_part(std::span<const double> all, std::size_t begin,
                                           std::size_t count) {
    return all.empty() ? all : all.subspan(begin, count);
  }
  /// The n-th of them.
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

  /// |phi_i|^2 where reports show it: random features with the square loss have 1.
  [[nodiscard]] double known_size(std::size_t space) const;
  void forget_departed(double stayed);
  [[nodiscard]] Status restore_memory(StateReader& from);
  void step_models(const AdaptiveAggregate& aggregate);
  void sort_by_space(const AdaptiveAggregate& aggregate);
  // These functions serve late reports and parts of a report (adaptive_late.cpp).
  /// P_i / (P_i when the model was sampled).
  [[nodiscard]] double correction(const ReportBatch& reports, std::size_t model) const;
  /// <g, w> where the gradient of a model was taken; NaN: at w as it is now.
  [[nodiscard]] double slope_of(const ReportBatch& reports, std::size_t model);
  /// What the difference of the losses of two models of one report counts.
  [[nodiscard]] PairWeights pair_weights_of(const ReportBatch& reports, std::size_t a,
                                            std::size_t b) const;
  void forget(const Touched& touched, SecondOrderModel& model);
  void step_second_order(const Touched& touched, SecondOrderModel& model);
  void step_first_order(std::size_t reporters);
  void observe(const Touched& touched, std::size_t n, double weight, SecondOrderModel& model);
  /// Their gradients multiplied by their scales, until the next call.
  std::span<const simd::Term> scaled(const Touched& touched);
  /// Its gradient lasts until gradients_ is cleared.
  RoundSums sums_of(const Touched& touched, std::size_t reporters);
  /// A gradient written out, until the next call.
  std::span<const float> written(const simd::Term& gradient, std::size_t dimension);

  std::shared_ptr<const AdaptiveSettings> settings_;
  AdaHedge hedge_;
  std::vector<Learner> learners_;  ///< none for a frozen expert
  ModelWeights weights_;
  ClientSampler sampler_;
  Departures departures_;
  double remembered_ = 1.0;              ///< share of the first reports that still counts
  std::vector<double> remembered_of_;    ///< the same when each model was last held
  std::size_t batches_ = 0;              ///< that had reports
  std::vector<std::size_t> last_batch_;  ///< in which each model was held

  std::vector<double> shares_;  ///< while assigning

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
