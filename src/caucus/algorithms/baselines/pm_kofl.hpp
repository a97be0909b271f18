// pM-KOFL, after its authors' own MATLAB: the local steps of eM-KOFL, but every client has weights
// of its own, v_ji <- v_ji exp(-eta_g l(f_i, y)) with eta_g = ln K / sqrt(t), draws I_j ~ v_j at
// the end of a batch, and sends I_j and W_jI_j. The server draws I with probability proportional to
// (number of clients that sent I)^M, and the mean of their models comes to all clients, takes the
// place of W_jI, and predicts. The weight rate of the settings plays no role.
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

/// On the client, while a batch lasts: the last example decides.
class PmKoflBatch {
 public:
  void begin(const TimedAssignment& assignment);
  void set(std::uint32_t index, const ModelSet& models, const Simplex& v);
  /// I_j and W_jI_j, which lies in the client's memory.
  void report(ReportBatch& into) const;

 private:
  std::uint32_t client_ = 0, index_ = 0, examples_ = 0;
  const ModelSet* models_ = nullptr;
  std::vector<double> selection_;  ///< v_j, normalised
};

/// Chances of the indices among those sent: proportional to count^M.
std::vector<double> power_vote(std::span<const std::size_t> counts, std::size_t clients);

class PmKofl {
 public:
  using Assignment = TimedAssignment;  ///< held: the model of I alone
  using Forecast = caucus::Forecast;
  using BatchMean = PmKoflBatch;
  static constexpr bool kCooperative = true;

  class Aggregate {
   public:
    explicit Aggregate(std::size_t models) : sent_(models), selection_(models, 0.0) {}
    void clear();

   private:
    friend class PmKofl;
    std::size_t reporters_ = 0;
    std::vector<std::vector<const float*>> sent_;  ///< the models, by their index
    std::vector<double> selection_;
  };

  struct ClientState : LocalModels {
    Simplex v;
    std::vector<double> losses;  ///< of the last example
  };

  explicit PmKofl(std::shared_ptr<const BaselineSettings> settings);

  void assign(const Batch& batch, std::uint32_t client, Assignment& into) const;
  void predict(ClientState& memory, const Assignment& assignment, std::span<const float> x,
               Forecast& into) const;
  void report(ClientState& memory, const Forecast& forecast, double y, BatchMean& into) const;
  void aggregate(const ReportBatch& reports, Aggregate& into) const;
  void step(const Batch& batch, const Aggregate& aggregate);

  [[nodiscard]] Forecast new_forecast() const { return Forecast(settings_->plan->maps); }
  [[nodiscard]] Aggregate new_aggregate() const { return Aggregate(means_.size()); }

  /// One model and its index, up and down. Which one goes up is the client's choice: before its
  /// report is there, this is the largest.
  [[nodiscard]] std::size_t upload_bits(const Assignment& assignment) const;
  [[nodiscard]] std::size_t upload_bits(const ReportBatch& reports) const;
  [[nodiscard]] std::size_t download_bits(const Assignment& assignment) const;

  [[nodiscard]] std::size_t chosen() const { return chosen_; }
  /// v_j, normalised, in the mean over the clients that reported last.
  [[nodiscard]] std::vector<double> selection() const { return selection_; }
  /// For every space the last mean that was formed; 0 if none was.
  [[nodiscard]] LearnedModel learned() const { return {selection_, means_.copy()}; }

 private:
  void move_weights(ClientState& memory, const Forecast& forecast, double y) const;
  [[nodiscard]] std::size_t draw(std::span<const double> chances, std::uint32_t batch) const;

  std::shared_ptr<const BaselineSettings> settings_;
  ModelSet means_;
  std::vector<double> selection_;
  std::size_t chosen_ = 0;
};

}  // namespace caucus
