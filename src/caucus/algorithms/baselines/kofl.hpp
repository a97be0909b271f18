// The KOFL family (Hong and Chae, "Communication-efficient randomized algorithm for multi-kernel
// online federated learning", 2022). A client keeps all K models and after y moves each by
//   loss_i = l(f_i, y) + lambda |W_i|^2,   W_i <- (1 - 2 eta_l lambda) W_i - eta_l l'(f_i, y) z_i,
// every round, whatever is exchanged at the ends of batches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "caucus/algorithms/baselines/baseline.hpp"
#include "caucus/core/mirror/simplex.hpp"

namespace caucus {

class Kofl : public Baseline {
 protected:
  using Baseline::Baseline;

  /// Takes one step with every local model; memory.losses are those before it.
  void step_local(LocalModels& memory, const Forecast& forecast, double y) const;
  /// Draws the model of the batch after this one; that of the first batch is drawn at the start.
  void choose(std::span<const double> chances, std::uint32_t batch);
};

/// The server of eM-KOFL and vM-KOFL keeps p_i proportional to exp(-eta_g sum_j L_ji). A report has
/// the K sums of losses over the batch and, as directions, the client's own models, of which the
/// server reads only what the protocol sends: the one that it draws, or all.
class HedgedKofl : public Kofl {
 public:
  explicit HedgedKofl(std::shared_ptr<const BaselineSettings> settings);
  void report(LocalModels& memory, const Forecast& forecast, double y, BaselineBatch& into) const;

 protected:
  void move_probabilities(const KeptReports& reports);

 private:
  Simplex p_;
};

/// eM-KOFL: one model goes through the server per batch. The server draws I ~ p, and the mean over
/// the clients of W_jI comes to all of them, takes the place of W_jI, and predicts.
///
/// The five steps put it in this order: at the end of a batch the losses arrive, p moves, I is
/// drawn for the next batch, and the models W_jI of those that reported are averaged. A lost report
/// loses the losses of its batch. learned() has for every space the last mean that was formed.
class EmKofl : public HedgedKofl {
 public:
  explicit EmKofl(std::shared_ptr<const BaselineSettings> settings);
  void step(const Batch& batch, const KeptReports& reports);

  /// Counts the protocol's messages, not the records. Up: K losses, and the model of I with its
  /// index, from which the assigned mean was formed; down: that mean and its index.
  [[nodiscard]] std::size_t upload_bits(const Assignment& assignment) const {
    return 32 * models_.size() + bits_of(assignment);
  }
  [[nodiscard]] std::size_t download_bits(const Assignment& assignment) const {
    return bits_of(assignment);
  }
  [[nodiscard]] std::size_t chosen() const { return *chosen_; }
};

/// vM-KOFL: all K models are averaged at the end of every batch, and the prediction is their mean
/// weighted by p. It costs O(DK) up and down.
class VmKofl : public HedgedKofl {
 public:
  using HedgedKofl::HedgedKofl;
  void predict(LocalModels& memory, const Assignment& assignment, std::span<const float> x,
               Forecast& into) const;
  void step(const Batch& batch, const KeptReports& reports);

  /// Up: K models and K losses; down: K models and K probabilities.
  [[nodiscard]] std::size_t upload_bits(const Assignment& assignment) const {
    return 32 * (HeldSize(assignment).floats + models_.size());
  }
  [[nodiscard]] std::size_t download_bits(const Assignment& assignment) const {
    return upload_bits(assignment);
  }
};

/// Returns the chances of the indices that were sent: proportional to count^M.
std::vector<double> power_vote(std::span<const std::size_t> counts, std::size_t clients);

/// pM-KOFL, after its authors' own MATLAB: every client has weights of its own,
/// v_ji <- v_ji exp(-eta_g l(f_i, y)) with eta_g = ln K / sqrt(t), draws I_j ~ v_j at the end of a
/// batch, and sends I_j and W_jI_j. The server draws I with probability proportional to
/// (number of clients that sent I)^M, and the mean of their models comes to all clients, takes the
/// place of W_jI, and predicts. The weight rate of the settings plays no role.
class PmKofl : public Kofl {
 public:
  struct ClientState : LocalModels {
    Simplex v;
  };

  explicit PmKofl(std::shared_ptr<const BaselineSettings> settings);
  void report(ClientState& memory, const Forecast& forecast, double y, BaselineBatch& into) const;
  void step(const Batch& batch, const KeptReports& reports);

  /// Counts one model and its index, up and down. The client chooses which one goes up: before its
  /// report has arrived, this is the largest.
  [[nodiscard]] std::size_t upload_bits(const Assignment&) const {
    return bits_of(largest_models(1));
  }
  [[nodiscard]] std::size_t upload_bits(const ReportBatch& reports) const {
    return bits_of(reports);
  }
  [[nodiscard]] std::size_t download_bits(const Assignment& assignment) const {
    return bits_of(assignment);
  }
  [[nodiscard]] std::size_t chosen() const { return *chosen_; }
};

}  // namespace caucus
