// Noncooperative clients (paper, Definition 1): M copies of an algorithm that never talk to each
// other, each a federation of one client. Nothing is sent. NCO-OMS is that of FOMD-OMS.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "caucus/algorithms/adaptive_oms.hpp"
#include "caucus/algorithms/fomd_oms.hpp"

namespace caucus {

template <class Server>
class Noncooperative {
 public:
  using Assignment = typename Server::Assignment;
  using Forecast = typename Server::Forecast;
  using BatchMean = typename Server::BatchMean;
  using ClientState = typename Server::ClientState;
  static constexpr bool kCooperative = false;
  static constexpr bool kOmsClients = true;  ///< predict and report are those of oms_client.hpp
  static constexpr bool kFirstPredicts = Server::kFirstPredicts;

  class Aggregate {  ///< one per client that reported
   public:
    void clear() {
      for (std::size_t s = 0; s < used_; ++s) of_client_[s].clear();
      used_ = 0;
      clients_.clear();
      used_batches_ = 0;
    }

   private:
    friend class Noncooperative;
    std::size_t used_ = 0;
    std::vector<std::uint32_t> clients_;
    std::vector<typename Server::Aggregate> of_client_;
    std::vector<ReportBatch>
        batches_;  ///< that the clients' reports refer to; the first are in use
    std::size_t used_batches_ = 0;
  };

  /// A schedule among the settings must be made for one client.
  template <class Settings>
  Noncooperative(std::shared_ptr<const Settings> settings, std::size_t clients)
      : copies_(clients, Server(std::move(settings))) {}

  void assign(const Batch& batch, std::uint32_t client, Assignment& into) {
    copies_[client].assign(batch, client, into);
  }
  void assign(const Batch& batch, std::uint32_t first_client, std::size_t clients,
              ClientSampler& sampler, const HeldPlaces& into) const {
    for (std::size_t c = 0; c < clients; ++c) {
      const std::size_t models = c * sampled();
      const auto client = first_client + static_cast<std::uint32_t>(c);
      copies_[client].assign(batch, client, 1, sampler,
                             {into.spaces + models, into.weights + models, into.shares + models});
    }
  }
  [[nodiscard]] ClientSampler new_sampler() const { return copies_.front().sampler_of_any_p(); }
  void predict(ClientState& memory, const Assignment& assignment, std::span<const float> x,
               Forecast& into) const {
    copies_.front().predict(memory, assignment, x, into);
  }
  void report(ClientState& memory, const Forecast& forecast, double y, BatchMean& into) const {
    copies_.front().report(memory, forecast, y, into);
  }
  void aggregate(ReportBatch& reports, Aggregate& into) const {
    if (into.used_batches_ == into.batches_.size()) into.batches_.emplace_back();
    ReportBatch& all = into.batches_[into.used_batches_++];
    std::swap(all, reports);
    reports.clear();
    ReportBatch own;
    for (std::size_t n = 0; n < all.size(); ++n) {
      if (into.used_ == into.of_client_.size()) {
        into.of_client_.push_back(copies_.front().new_aggregate());
      }
      const std::uint32_t client = all.clients[n];
      into.clients_.push_back(client);
      own.clear();
      own.add_report_of(all, n);
      copies_[client].aggregate(own, into.of_client_[into.used_++]);
    }
  }
  void step(const Batch& batch, const Aggregate& aggregate) {
    for (std::size_t s = 0; s < aggregate.used_; ++s) {
      copies_[aggregate.clients_[s]].step(batch, aggregate.of_client_[s]);
    }
  }

  [[nodiscard]] Forecast new_forecast() const { return copies_.front().new_forecast(); }
  [[nodiscard]] Aggregate new_aggregate() const { return {}; }
  template <class Held>
  [[nodiscard]] std::size_t upload_bits(const Held&) const {
    return 0;
  }
  template <class Held>
  [[nodiscard]] std::size_t download_bits(const Held&) const {
    return 0;
  }

  [[nodiscard]] const Plan& plan() const { return copies_.front().plan(); }
  [[nodiscard]] std::size_t sampled() const { return copies_.front().sampled(); }
  [[nodiscard]] std::size_t clients() const { return copies_.size(); }
  [[nodiscard]] const Server& copy(std::size_t client) const { return copies_[client]; }
  /// The mean of p over the clients.
  [[nodiscard]] std::vector<double> selection() const;
  /// The model whose forecast is the mean of the clients' forecasts: p_i = mean_j p_ij and
  /// w_i = sum_j p_ij w_ij / sum_j p_ij.
  [[nodiscard]] LearnedModel learned() const;

 private:
  std::vector<Server> copies_;
};

template <class Server>
std::vector<double> Noncooperative<Server>::selection() const {
  std::vector<double> mean(copies_.front().models(), 0.0);
  for (const Server& copy : copies_) {
    for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += copy.probabilities()[i];
  }
  for (double& value : mean) value /= static_cast<double>(clients());
  return mean;
}

template <class Server>
LearnedModel Noncooperative<Server>::learned() const {
  LearnedModel model{std::vector<double>(copies_.front().models(), 0.0), {}};
  for (std::size_t i = 0; i < model.probabilities.size(); ++i) {
    std::vector<double> sum(copies_.front().weights(i).size(), 0.0);
    double& total = model.probabilities[i];
    for (const Server& copy : copies_) {
      const double p = copy.probabilities()[i];
      const auto w = copy.weights(i);
      total += p;
      for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += p * static_cast<double>(w[k]);
    }
    std::vector<float>& mean = model.weights.emplace_back();
    for (const double value : sum) {
      mean.push_back(total > 0.0 ? static_cast<float>(value / total) : 0.0F);
    }
    total /= static_cast<double>(clients());
  }
  return model;
}

using NcoOms = Noncooperative<FomdOms>;
using NcoAdaptive = Noncooperative<AdaptiveOms>;

}  // namespace caucus
