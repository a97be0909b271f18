// The part of FOMD-OMS that all schedules share: the server samples J of its K models for each
// client (oms_client.hpp). FomdOms and FirstOrderOms differ in how they learn from reports.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "caucus/algorithms/learned_model.hpp"
#include "caucus/algorithms/oms_client.hpp"
#include "caucus/algorithms/round.hpp"
#include "caucus/core/features/model_weights.hpp"
#include "caucus/core/sampling/sampling.hpp"

namespace caucus {

/// Self has probabilities() and kFirstPredicts: whether A_1 predicts alone, as in the paper, or all
/// J models by their probabilities.
template <class Self, class SettingsType>
class OmsServer {
 public:
  using Settings = SettingsType;
  using Assignment = caucus::Assignment;
  using Forecast = caucus::Forecast;
  using BatchMean = caucus::BatchMean;
  using ClientState = NoMemory;
  static constexpr bool kCooperative = true;  ///< reports travel, so they can be lost
  static constexpr bool kOmsClients = true;   ///< predict and report are those of oms_client.hpp

  /// Samples O = {A_1, .., A_J}: A_1 ~ p, and the others uniformly from the rest.
  void assign(const Batch& batch, std::uint32_t client, Assignment& into) {
    const auto drawn = sampler_.draw(p(), batch.number, client);
    shares_.assign(drawn.size(), 0.0);
    shares_.front() = 1.0;
    if (!Self::kFirstPredicts) p().shares(drawn, shares_);
    into.client = client;
    into.held.resize(drawn.size());
    for (std::size_t a = 0; a < drawn.size(); ++a) {
      into.held[a] = {drawn[a], weights(drawn[a]), shares_[a]};
    }
  }
  /// Assigns models to several clients in order, with a sampler for each calling thread.
  void assign(const Batch& batch, std::uint32_t first_client, std::size_t clients,
              ClientSampler& sampler, const HeldPlaces& into) const {
    const std::size_t J = sample_size();
    sampler.draw(p(), batch.number, first_client, clients, into.spaces);
    weights_.rows({into.spaces, clients * J}, into.weights);
    if (Self::kFirstPredicts) return;
    for (std::size_t c = 0; c < clients; ++c) {
      p().shares({into.spaces + c * J, J}, {into.shares + c * J, J});
    }
  }
  [[nodiscard]] ClientSampler new_sampler() const { return sampler_; }
  void predict(NoMemory&, const Assignment& assignment, std::span<const float> x,
               Forecast& into) const {
    predict_with_held(plan(), assignment, x, into);
  }
  void report(NoMemory&, const Forecast& forecast, double y, BatchMean& into) const {
    report_held(plan(), forecast, y, into);
  }
  [[nodiscard]] BatchMean new_mean() const { return {}; }
  [[nodiscard]] Forecast new_forecast() const { return Forecast(plan().maps); }

  /// Returns the bits of the messages of some clients. Down: the held models as floats, ceil(log2
  /// K) bits for each index and, unless the first predicts, J - 1 shares, since they sum to 1. Up:
  /// the gradients, which are as long, and the losses. (The paper's formula counts J twice.)
  [[nodiscard]] std::size_t upload_bits(const HeldSize& held) const {
    return held.models * (index_bits(models()) + 32) + 32 * held.floats;
  }
  [[nodiscard]] std::size_t download_bits(const HeldSize& held) const {
    const std::size_t shares = Self::kFirstPredicts ? 0 : held.models - held.clients;
    return held.models * index_bits(models()) + 32 * (held.floats + shares);
  }

  [[nodiscard]] const Plan& plan() const { return *settings_->plan; }
  [[nodiscard]] std::size_t sample_size() const { return settings_->sample_size; }  ///< J
  [[nodiscard]] std::size_t models() const { return plan().maps.size(); }           ///< K
  /// Returns P_i of the present draws.
  [[nodiscard]] double inclusion(std::size_t space) const {
    return inclusion_probability(p()[space], models(), sample_size());
  }
  [[nodiscard]] std::span<const float> weights(std::size_t space) const { return weights_[space]; }
  [[nodiscard]] std::vector<double> selection() const { return p().probabilities(); }
  [[nodiscard]] LearnedModel learned() const {
    LearnedModel model{selection(), {}, {}, plan().loss.classes()};
    for (std::size_t i = 0; i < models(); ++i) {
      model.weights.emplace_back(weights(i).begin(), weights(i).end());
    }
    return model;
  }

 protected:
  explicit OmsServer(std::shared_ptr<const Settings> settings)
      : settings_(std::move(settings)),
        weights_(plan().maps, plan().loss.outputs()),
        sampler_({settings_->seed, Purpose::sampling, settings_->repetition}, models(),
                 sample_size()) {}

  /// Returns P_i / (P_i when the model was sampled), the factor of a late report, since the step
  /// divides by the present P_i.
  [[nodiscard]] double correction(const ReportBatch& reports, std::size_t model) const {
    if (!reports.is_late(model)) return 1.0;
    return inclusion(reports.spaces[model]) /
           inclusion_probability(reports.sampled_with[model], models(), sample_size());
  }

  std::shared_ptr<const Settings> settings_;
  ModelWeights weights_;

 private:
  [[nodiscard]] const Simplex& p() const { return static_cast<const Self&>(*this).probabilities(); }

  ClientSampler sampler_;
  std::vector<double> shares_;  ///< used while assigning
};

}  // namespace caucus
