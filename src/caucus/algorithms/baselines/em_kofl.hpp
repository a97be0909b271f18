// eM-KOFL (Hong and Chae): one model goes through the server per batch. The server keeps
// p_i proportional to exp(-eta_g sum_j L_ji), draws I ~ p, and the mean over the clients of W_jI
// comes to all of them, takes the place of W_jI, and predicts.
//
// The five verbs put it in this order: at the end of a batch the losses arrive, p moves, I is drawn
// for the next batch, and the models W_jI of those that reported are averaged. A lost report loses
// the losses of its batch.
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

class EmKofl {
 public:
  using Assignment = TimedAssignment;  ///< held: the model of I alone
  using Forecast = caucus::Forecast;
  using BatchMean = LocalBatch;
  static constexpr bool kCooperative = true;

  class Aggregate {
   public:
    explicit Aggregate(std::size_t models) : losses_(models, 0.0), models_(models) {}
    void clear();

   private:
    friend class EmKofl;
    std::vector<double> losses_;
    std::vector<std::vector<const float*>> models_;  ///< by space: of those that reported
  };

  struct ClientState : LocalModels {
    std::vector<double> losses;  ///< of the last example
  };

  explicit EmKofl(std::shared_ptr<const BaselineSettings> settings);

  void assign(const Batch& batch, std::uint32_t client, Assignment& into) const;
  void predict(ClientState& memory, const Assignment& assignment, std::span<const float> x,
               Forecast& into) const;
  void report(ClientState& memory, const Forecast& forecast, double y, BatchMean& into) const;
  void aggregate(const ReportBatch& reports, Aggregate& into) const;
  void step(const Batch& batch, const Aggregate& aggregate);

  [[nodiscard]] Forecast new_forecast() const { return Forecast(settings_->plan->maps); }
  [[nodiscard]] Aggregate new_aggregate() const { return Aggregate(p_.size()); }

  /// What the protocol sends, not what the records hold. Up: K losses, and the model of I with its
  /// index, from which the assigned mean was formed; down: that mean and its index.
  [[nodiscard]] std::size_t upload_bits(const Assignment& assignment) const;
  [[nodiscard]] std::size_t download_bits(const Assignment& assignment) const;

  [[nodiscard]] std::size_t chosen() const { return chosen_; }
  [[nodiscard]] std::vector<double> selection() const;
  /// For every space the last mean that was formed; 0 if none was.
  [[nodiscard]] LearnedModel learned() const { return {selection(), means_.copy()}; }

 private:
  void draw(std::uint32_t batch);

  std::shared_ptr<const BaselineSettings> settings_;
  Simplex p_;
  ModelSet means_;
  std::size_t chosen_ = 0;
};

}  // namespace caucus
