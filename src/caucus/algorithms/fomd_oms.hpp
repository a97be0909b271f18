// FOMD-OMS (paper, Algorithms 2 to 4): FOMD-No-LU on the simplex for the probabilities and, for
// each space, on its ball or box for the model, fed with importance-weighted estimates
//   c_i = sum over reporting clients j that hold i of c_ij / (M_r P_i),   g_i likewise.
// It divides by all M_r reporting clients, not by those that hold i: that would be biased.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

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

/// The sums of one batch. Models that are touched get slots, one after another.
class OmsAggregate {
 public:
  explicit OmsAggregate(const FeatureMaps& maps) : maps_(&maps), slot_of_(maps.size(), -1) {}
  void clear();

 private:
  friend class FomdOms;
  /// Of the reports of one tile, each of which has a model at most once.
  void add(const TileReports& reports);
  /// Where it does not last, at once.
  void add_and_sum(const TileReports& reports);
  std::size_t new_slot(std::uint32_t space);
  [[nodiscard]] std::span<const simd::Term> terms_of(std::size_t slot) const {
    return {terms_.data() + slot * most_terms_, counts_[slot]};
  }
  /// From terms to gradients.
  void add_up();

  const FeatureMaps* maps_;
  std::size_t reporters_ = 0;
  std::vector<std::int32_t> slot_of_;

  // By slot:
  std::size_t used_ = 0;
  std::vector<std::uint32_t> spaces_;
  std::vector<double> losses_;
  std::vector<std::uint32_t> counts_;  ///< of the terms that the gradient is the sum of, or
  std::vector<simd::Term> terms_;
  std::size_t most_terms_ = 0;  ///< of a slot: as many as the tile has clients
  bool summed_ = false;
  std::vector<AlignedVector<float>> gradients_;  ///< that sum, after add_up()
};

class FomdOms {
 public:
  using Assignment = caucus::Assignment;
  using Forecast = caucus::Forecast;
  using BatchMean = caucus::BatchMean;
  using Report = caucus::Report;
  using Aggregate = OmsAggregate;
  using ClientState = NoMemory;
  static constexpr bool kCooperative = true;  ///< reports travel, so they can be lost
  static constexpr bool kOmsClients = true;   ///< predict and report are those of oms_client.hpp
  static constexpr bool kFirstPredicts = true;

  /// The settings must be valid.
  explicit FomdOms(std::shared_ptr<const OmsSettings> settings);

  void assign(const Batch& batch, std::uint32_t client, Assignment& into) {
    const auto drawn = sampler_.draw(p_, batch.number, client);
    into.client = client;
    into.held.clear();
    for (const std::uint32_t i : drawn) into.held.push_back({i, weights(i), 0.0});
    into.held.front().share = 1.0;
  }
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
  void aggregate(const Report& report, OmsAggregate& into) const { aggregate({&report, 1}, into); }
  /// All that one client reports in this batch, in parts that were drawn in several batches: their
  /// mean by examples is its contribution, and it counts once in M_r.
  void aggregate(std::span<const Report> parts, OmsAggregate& into) const;
  /// One after the other, but those of a model together.
  void aggregate(const TileReports& reports, OmsAggregate& into) const;
  void step(const Batch& batch, const OmsAggregate& aggregate);

  /// All that later batches depend on, to the last bit. restore() is for a
  /// server fresh from the same settings, which is to be thrown away after an error.
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
  [[nodiscard]] std::size_t models() const { return p_.size(); }
  [[nodiscard]] const Simplex& probabilities() const { return p_; }
  /// P_i of those who draw now.
  [[nodiscard]] double inclusion(std::size_t space) const {
    return inclusion_probability(p_[space], models(), settings_->sampled);
  }
  [[nodiscard]] std::span<const float> weights(std::size_t space) const { return weights_[space]; }

 private:
  /// With loss and gradient of each model multiplied by share P_i / (P_i when it was drawn).
  void aggregate_scaled(const Report& part, double share, OmsAggregate& into) const;
  void estimate(const Batch& batch, const OmsAggregate& aggregate);
  void step_models(const OmsAggregate& aggregate);
  void step_model(const Space& space, const OmsAggregate& aggregate, std::size_t slot,
                  std::span<float> w);

  std::shared_ptr<const OmsSettings> settings_;
  Simplex p_;
  ModelWeights weights_;
  ClientSampler sampler_;
  double eta_;

  // While stepping, for what was touched: estimated losses, and the rates of the models' steps.
  std::vector<IndexedLoss> losses_;
  std::vector<double> rates_;
  std::vector<simd::Move> moves_;
  std::vector<double> radii_, squares_;  ///< of the moves
  AlignedVector<float> gradient_;
};

}  // namespace caucus
