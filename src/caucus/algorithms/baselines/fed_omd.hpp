// FedOMD (Mitra et al., "Online federated learning", CDC 2021) with the Euclidean mirror map, for
// one space: every round a client moves w <- project(w - eta_l l'(f, y) z) on its own, and every
// batch the server averages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "caucus/algorithms/baselines/baseline_settings.hpp"
#include "caucus/algorithms/baselines/shared_model.hpp"
#include "caucus/algorithms/learned_model.hpp"

namespace caucus {

class FedOmd {
 public:
  using Assignment = TimedAssignment;
  using Forecast = caucus::Forecast;
  using BatchMean = PointBatch;
  using Aggregate = PointAggregate;
  static constexpr bool kCooperative = true;

  struct ClientState {
    ClientClock clock;
    std::vector<float> w;
  };

  /// The plan has one space.
  explicit FedOmd(std::shared_ptr<const BaselineSettings> settings);

  void assign(const Batch& batch, std::uint32_t client, Assignment& into) const;
  void predict(ClientState& memory, const Assignment& assignment, std::span<const float> x,
               Forecast& into) const;
  void report(ClientState& memory, const Forecast& forecast, double y, BatchMean& into) const;
  void aggregate(const ReportBatch& reports, Aggregate& into) const { into.add(reports); }
  void step(const Batch&, const Aggregate& aggregate) { aggregate.mean_into(w_); }

  [[nodiscard]] Forecast new_forecast() const { return Forecast(settings_->plan->maps); }
  [[nodiscard]] Aggregate new_aggregate() const { return Aggregate(w_.size()); }

  /// One model, up and down.
  [[nodiscard]] std::size_t upload_bits(const Assignment&) const { return 32 * w_.size(); }
  [[nodiscard]] std::size_t download_bits(const Assignment&) const { return 32 * w_.size(); }

  [[nodiscard]] std::vector<double> selection() const { return {1.0}; }
  [[nodiscard]] LearnedModel learned() const { return {{1.0}, {w_}}; }

 private:
  std::shared_ptr<const BaselineSettings> settings_;
  std::vector<float> w_;
};

}  // namespace caucus
