// FEDPOSGD (Patel et al., "Federated online and bandit convex optimization", ICML 2023), for one
// space and bandit feedback: in round t a client plays project(w) + delta_t u, u uniform on the
// unit sphere, sees nothing but the loss there, and moves
//   w <- w - eta_t (d / delta_t) l u,
// whose expectation is a gradient step on the loss smoothed over a ball of radius delta_t. Every
// batch the server averages. The rates are those of Flaxman, Kalai and McMahan (2005) without a
// horizon: delta_t = exploration * t^(-1/4), eta_t = model_rate * delta_t / (d sqrt(t)).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "caucus/algorithms/baselines/baseline_settings.hpp"
#include "caucus/algorithms/baselines/shared_model.hpp"
#include "caucus/algorithms/learned_model.hpp"
#include "caucus/core/base/random.hpp"

namespace caucus {

/// Uniform on the unit sphere.
void draw_direction(Stream& stream, std::span<float> direction);

class FedPosgd {
 public:
  using Assignment = TimedAssignment;
  using Forecast = caucus::Forecast;
  using BatchMean = PointBatch;
  using Aggregate = PointAggregate;
  static constexpr bool kCooperative = true;

  struct ClientState {
    ClientClock clock;
    std::vector<float> w;          ///< not projected: only what is played is
    std::vector<float> direction;  ///< u
    std::vector<float> played;
  };

  /// The plan has one space.
  explicit FedPosgd(std::shared_ptr<const BaselineSettings> settings);

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
  /// The mean, projected, as it would be played without exploration.
  [[nodiscard]] LearnedModel learned() const;

 private:
  [[nodiscard]] double smoothing(std::size_t round) const;  ///< delta_t
  [[nodiscard]] double rate(std::size_t round) const;       ///< eta_t
  void choose_point(ClientState& memory) const;

  std::shared_ptr<const BaselineSettings> settings_;
  std::vector<float> w_;
};

}  // namespace caucus
