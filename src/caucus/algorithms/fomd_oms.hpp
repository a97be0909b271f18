// FOMD-OMS (paper, Algorithms 2 to 4): FOMD-No-LU on the simplex for the probabilities and, for
// each space, on its set for the model, fed with importance-weighted estimates
//   c_i = sum over reporting clients j that hold i of c_ij / (M_r P_i),   g_i likewise.
// It divides by all M_r reporting clients, not by those that hold i: that would be biased.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "caucus/algorithms/learned_model.hpp"
#include "caucus/algorithms/oms_client.hpp"
#include "caucus/algorithms/round.hpp"
#include "caucus/core/base/aligned.hpp"
#include "caucus/core/base/state_io.hpp"
#include "caucus/core/features/model_weights.hpp"
#include "caucus/core/mirror/schedule.hpp"
#include "caucus/core/mirror/simplex.hpp"
#include "caucus/core/sampling/sampling.hpp"
#include "caucus/core/simd/kernel_table.hpp"
#include "caucus/result.hpp"

namespace caucus {

struct OmsSettings {
  std::shared_ptr<const Plan> plan;
  std::size_t sampled = 2;  ///< J
  Schedule schedule = ConstantSchedule{};
  WeightedEntropy entropy{{}};  ///< with the weights C_i, one per space
  std::uint64_t seed = 1;
  std::uint32_t repetition = 0;
  double fixed_share = 0.0;  ///< for drifting data: p <- (1 - A) p + A / K after every step

  /// 2 <= J <= K (or J = K = 1), C_i positive and finite.
  [[nodiscard]] Status validate() const;
};

/// 2 <= J <= K, or J = K = 1.
Status validate_sample(std::size_t sampled, std::size_t models);

/// The sums of one batch over the clients, for the models that somebody held.
class OmsAggregate {
 public:
  explicit OmsAggregate(const FeatureMaps& maps) : maps_(&maps), sum_of_(maps.size(), kNone) {}
  void clear();

 private:
  friend class FomdOms;
  struct Sums {
    std::uint32_t space = 0;
    double loss = 0.0;              ///< sum of c_ij
    AlignedVector<float> gradient;  ///< sum of g_ij
    std::vector<simd::Term> terms;  ///< that are to be added to it
  };
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  Sums& sums_of(std::uint32_t space);
  void add(std::uint32_t space, double loss, const simd::Term& gradient) {
    Sums& sums = sums_of(space);
    sums.loss += loss;
    sums.terms.push_back(gradient);
  }
  /// Adds all terms up, while their memory lasts.
  void add_up();
  [[nodiscard]] std::span<const Sums> touched() const { return {sums_.data(), used_}; }

  const FeatureMaps* maps_;
  std::size_t reporters_ = 0;          ///< M_r
  std::vector<std::uint32_t> sum_of_;  ///< by space: which of the sums is its own
  std::vector<Sums> sums_;             ///< in the order of first touch; the first used_ are in use
  std::size_t used_ = 0;
};

class FomdOms {
 public:
  using Assignment = caucus::Assignment;
  using Forecast = caucus::Forecast;
  using BatchMean = caucus::BatchMean;
  using Aggregate = OmsAggregate;
  using ClientState = NoMemory;
  static constexpr bool kCooperative = true;  ///< reports travel, so they can be lost
  static constexpr bool kOmsClients = true;   ///< predict and report are those of oms_client.hpp
  static constexpr bool kFirstPredicts = true;

  /// The settings must be valid.
  explicit FomdOms(std::shared_ptr<const OmsSettings> settings);

  void assign(const Batch& batch, std::uint32_t client, Assignment& into);
  /// The same for several clients, one after another, with the caller's sampler: for several
  /// threads.
  void assign(const Batch& batch, std::uint32_t first_client, std::size_t clients,
              ClientSampler& sampler, const HeldPlaces& into) const {
    sampler.draw(p_, batch.number, first_client, clients, into.spaces);
    weights_.rows({into.spaces, clients * sampled()}, into.weights);
  }
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
  void aggregate(ReportBatch& reports, OmsAggregate& into) const;
  void step(const Batch& batch, const OmsAggregate& aggregate);

  /// All that later batches depend on, to the last bit. restore() is for a server fresh from the
  /// same settings, which is to be thrown away after an error.
  void save(StateWriter& to) const;
  Status restore(StateReader& from);

  [[nodiscard]] Forecast new_forecast() const { return Forecast(settings_->plan->maps); }
  [[nodiscard]] OmsAggregate new_aggregate() const { return OmsAggregate(settings_->plan->maps); }

  [[nodiscard]] std::size_t upload_bits(const HeldSize& held) const {
    return held_upload_bits(held, models());
  }
  [[nodiscard]] std::size_t download_bits(const HeldSize& held) const {
    return held_download_bits(held, models());
  }
  [[nodiscard]] std::size_t upload_bits(const Assignment& assignment) const {
    return upload_bits(size_of(assignment));
  }
  [[nodiscard]] std::size_t download_bits(const Assignment& assignment) const {
    return download_bits(size_of(assignment));
  }

  [[nodiscard]] const Plan& plan() const { return *settings_->plan; }
  [[nodiscard]] std::size_t sampled() const { return settings_->sampled; }  ///< J
  [[nodiscard]] std::size_t models() const { return p_.size(); }            ///< K
  [[nodiscard]] const Simplex& probabilities() const { return p_; }
  /// P_i of those who draw now.
  [[nodiscard]] double inclusion(std::size_t space) const {
    return inclusion_probability(p_[space], models(), settings_->sampled);
  }
  [[nodiscard]] std::span<const float> weights(std::size_t space) const { return weights_[space]; }
  [[nodiscard]] std::vector<double> selection() const { return p_.probabilities(); }
  [[nodiscard]] LearnedModel learned() const { return learned_from(p_, weights_); }

 private:
  /// Reports that were sampled in earlier batches, or that are parts of a client's.
  void aggregate_late(const ReportBatch& reports, OmsAggregate& into) const;

  std::shared_ptr<const OmsSettings> settings_;
  Simplex p_;
  ModelWeights weights_;
  ClientSampler sampler_;
  std::vector<IndexedLoss> losses_;  ///< the estimates c_i, while stepping
};

}  // namespace caucus
