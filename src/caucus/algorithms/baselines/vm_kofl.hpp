// vM-KOFL (Hong and Chae): the local steps of eM-KOFL, but all K models are averaged at the end of
// every batch, and the forecast is their mean weighted by p_i proportional to
// exp(-eta_g sum_j L_ji). It costs O(DK) up and down.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "caucus/algorithms/baselines/local_models.hpp"
#include "caucus/algorithms/learned_model.hpp"
#include "caucus/core/mirror/simplex.hpp"

namespace caucus {

class VmKofl {
 public:
  /// held: the means of all K models
  struct Assignment : TimedAssignment {
    std::vector<double> weights;  ///< p
  };
  using Forecast = caucus::Forecast;
  using BatchMean = LocalBatch;
  static constexpr bool kCooperative = true;

  class Aggregate {
   public:
    explicit Aggregate(const FeatureMaps& maps) : losses_(maps.size(), 0.0), models_(maps) {}
    void clear();

   private:
    friend class VmKofl;
    std::size_t reporters_ = 0;
    std::vector<double> losses_;
    ModelSet models_;
  };

  struct ClientState : LocalModels {
    std::vector<double> losses;  ///< of the last example
  };

  explicit VmKofl(std::shared_ptr<const BaselineSettings> settings);

  void assign(const Batch& batch, std::uint32_t client, Assignment& into) const;
  void predict(ClientState& memory, const Assignment& assignment, std::span<const float> x,
               Forecast& into) const;
  void report(ClientState& memory, const Forecast& forecast, double y, BatchMean& into) const;
  void aggregate(const ReportBatch& reports, Aggregate& into) const;
  void step(const Batch& batch, const Aggregate& aggregate);

  [[nodiscard]] Forecast new_forecast() const { return Forecast(settings_->plan->maps); }
  [[nodiscard]] Aggregate new_aggregate() const { return Aggregate(settings_->plan->maps); }

  /// Up: K models and K losses; down: K models and K weights.
  [[nodiscard]] std::size_t upload_bits(const Assignment& assignment) const;
  [[nodiscard]] std::size_t download_bits(const Assignment& assignment) const;

  [[nodiscard]] std::vector<double> selection() const;
  [[nodiscard]] LearnedModel learned() const { return {selection(), means_.copy()}; }

 private:
  std::shared_ptr<const BaselineSettings> settings_;
  Simplex p_;
  ModelSet means_;
};

}  // namespace caucus
