// Noncooperative clients (paper, Definition 1): M copies of an algorithm that never communicate,
// each a federation of one client. Nothing is sent. NCO-OMS is FOMD-OMS played in this way.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "caucus/algorithms/first_order_oms.hpp"
#include "caucus/algorithms/fomd_oms.hpp"
#include "caucus/algorithms/statistics/statistics_oms.hpp"

namespace caucus {

template <class Server>
class Noncooperative {
 public:
  using Assignment = typename Server::Assignment;
  using Forecast = typename Server::Forecast;
  using BatchMean = typename Server::BatchMean;
  using ClientState = typename Server::ClientState;
  using Aggregate = KeptReports;
  static constexpr bool kCooperative = false;
  static constexpr bool kOmsClients = Server::kOmsClients;
  static constexpr bool kFirstPredicts = Server::kFirstPredicts;

  /// A schedule among the settings must be made for one client.
  template <class Settings>
  Noncooperative(std::shared_ptr<const Settings> settings, std::size_t clients)
      : copies_(clients, Server(std::move(settings))),
        own_aggregate_(copies_.front().new_aggregate()) {}

  void assign(const Batch& batch, std::uint32_t client, Assignment& into) {
    copies_[client].assign(batch, client, into);
  }
  void assign(const Batch& batch, std::uint32_t first_client, std::size_t clients,
              ClientSampler& sampler, const HeldPlaces& into) const {
    for (std::size_t c = 0; c < clients; ++c) {
      const std::size_t models = c * sample_size();
      const auto client = first_client + static_cast<std::uint32_t>(c);
      copies_[client].assign(batch, client, 1, sampler,
                             {into.spaces + models, into.weights + models, into.shares + models});
    }
  }
  [[nodiscard]] ClientSampler new_sampler() const { return copies_.front().new_sampler(); }
  void predict(ClientState& memory, const Assignment& assignment, std::span<const float> x,
               Forecast& into) const {
    copies_.front().predict(memory, assignment, x, into);
  }
  void report(ClientState& memory, const Forecast& forecast, double y, BatchMean& into) const {
    copies_.front().report(memory, forecast, y, into);
  }
  void aggregate(ReportBatch& reports, KeptReports& into) const { into.keep(reports); }
  void step(const Batch& batch, const KeptReports& reports) {
    for (const ReportBatch& some : reports.batches()) {
      for (std::size_t n = 0; n < some.size(); ++n) {
        Server& copy = copies_[some.clients[n]];
        own_report_.add_report_of(some, n);
        copy.aggregate(own_report_, own_aggregate_);
        copy.step(batch, own_aggregate_);
        own_aggregate_.clear();
        own_report_.clear();  // it refers to `some`
      }
    }
  }

  [[nodiscard]] BatchMean new_mean() const { return copies_.front().new_mean(); }
  [[nodiscard]] Forecast new_forecast() const { return copies_.front().new_forecast(); }
  [[nodiscard]] Aggregate new_aggregate() const { return {}; }
  [[nodiscard]] std::size_t upload_bits(const HeldSize&) const { return 0; }
  [[nodiscard]] std::size_t download_bits(const HeldSize&) const { return 0; }

  [[nodiscard]] const Plan& plan() const { return copies_.front().plan(); }
  [[nodiscard]] std::size_t sample_size() const { return copies_.front().sample_size(); }
  [[nodiscard]] std::size_t clients() const { return copies_.size(); }
  [[nodiscard]] const Server& copy(std::size_t client) const { return copies_[client]; }
  /// Returns the mean of p over the clients.
  [[nodiscard]] std::vector<double> selection() const;
  /// Returns the model whose prediction is the mean of the clients' predictions: p_i = mean_j p_ij
  /// and w_i = sum_j p_ij w_ij / sum_j p_ij.
  [[nodiscard]] LearnedModel learned() const;

 private:
  std::vector<Server> copies_;
  // Used while stepping:
  ReportBatch own_report_;
  typename Server::Aggregate own_aggregate_;
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
  LearnedModel model{
      std::vector<double>(copies_.front().models(), 0.0), {}, {}, plan().loss.classes()};
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
using NcoFirstOrder = Noncooperative<FirstOrderOms>;
using NcoStatistics = Noncooperative<StatisticsOms>;

}  // namespace caucus
