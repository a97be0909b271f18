// POF-MKL (Ghari and Shen, "Personalized online federated learning with multiple kernels", NeurIPS
// 2022), after its authors' own Python. The server holds theta and sends all K models. Client j has
// weights v of its own and predicts sum_i (v_i / sum v) f_i. After y:
//   v_i <- v_i exp(-eta_j (l(f_i, y) + lambda |theta_i|^2)),
// the kernels are sorted by v and cut into bins of J, bin b is drawn with probability
// u_b = (1 - xi) (share of v in b) + xi / #bins, and for its kernels the client sends
//   (1 / u_b) (l'(f_i, y) z_i + 2 lambda theta_i).
// The server subtracts eta times the mean over the clients. With K = 1 this is OFSKL.
//
// In a batch theta stays; the bin is drawn at its first example, and the batch mean is sent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "caucus/algorithms/baselines/baseline_client.hpp"
#include "caucus/algorithms/baselines/baseline_settings.hpp"
#include "caucus/algorithms/learned_model.hpp"
#include "caucus/algorithms/model_set.hpp"
#include "caucus/core/mirror/simplex.hpp"

namespace caucus {

/// The script behind the published comparison takes the features of the last kernel for every
/// gradient. That variant exists to reproduce the published numbers; all spaces must then have the
/// same dimension.
enum class PofMklVariant { correct, as_published };

/// Kernels that are reported together, and the chance of that.
struct KernelBin {
  std::vector<std::uint32_t> spaces;
  double probability = 1.0;  ///< u_b
};

/// The kernels by falling v, ties by index, cut into bins of `size`; the last may be smaller.
std::vector<KernelBin> kernel_bins(const Simplex& v, std::size_t size, double exploration);

/// On the client, while a batch lasts.
class PofMklBatch {
 public:
  void begin(const TimedAssignment& assignment);
  void open(const KernelBin& bin, std::span<const HeldModel> theta);
  /// Adds factor * features + penalty * theta to the gradient that begins at `offset`.
  void add(std::size_t offset, double factor, std::span<const float> features, double penalty,
           std::span<const float> theta);
  void end_example(const Simplex& v);
  /// The gradients of the bin.
  void report(ReportBatch& into) const;

 private:
  std::uint32_t client_ = 0, examples_ = 0;
  std::vector<std::uint32_t> spaces_;  ///< the bin
  std::vector<std::size_t> ends_;      ///< of their gradients
  std::vector<double> selection_;      ///< v, normalised
  std::vector<double> gradients_;
};

class PofMklAggregate {
 public:
  explicit PofMklAggregate(const FeatureMaps& maps);
  void clear();

 private:
  friend class PofMkl;
  std::size_t reporters_ = 0;
  ModelSet gradients_;
  std::vector<bool> touched_;
  std::vector<double> selection_;
};

class PofMkl {
 public:
  using Assignment = TimedAssignment;  ///< all theta
  using Forecast = caucus::Forecast;
  using BatchMean = PofMklBatch;
  using Aggregate = PofMklAggregate;
  static constexpr bool kCooperative = true;

  struct ClientState {
    ClientClock clock;
    Simplex v;
    std::vector<HeldModel> theta;
    std::vector<double> penalties;  ///< lambda |theta_i|^2
    KernelBin bin;                  ///< without spaces until it is drawn
  };

  explicit PofMkl(std::shared_ptr<const BaselineSettings> settings,
                  PofMklVariant variant = PofMklVariant::correct);

  void assign(const Batch& batch, std::uint32_t client, Assignment& into) const;
  void predict(ClientState& memory, const Assignment& assignment, std::span<const float> x,
               Forecast& into) const;
  void report(ClientState& memory, const Forecast& forecast, double y, BatchMean& into) const;
  void aggregate(const ReportBatch& reports, Aggregate& into) const;
  void step(const Batch& batch, const Aggregate& aggregate);

  [[nodiscard]] Forecast new_forecast() const { return Forecast(settings_->plan->maps); }
  [[nodiscard]] Aggregate new_aggregate() const { return Aggregate(settings_->plan->maps); }

  /// Up: the J models of a bin and their indices; down: all K models. The bin is the client's
  /// choice: before its report is there, this is the largest upload that it can choose.
  [[nodiscard]] std::size_t upload_bits(const Assignment& assignment) const;
  [[nodiscard]] std::size_t upload_bits(const ReportBatch& reports) const;
  [[nodiscard]] std::size_t download_bits(const Assignment& assignment) const;

  /// v, normalised, in the mean over the clients that reported last.
  [[nodiscard]] std::vector<double> selection() const { return selection_; }
  [[nodiscard]] LearnedModel learned() const { return {selection_, theta_.copy()}; }

 private:
  void draw_bin(ClientState& memory, BatchMean& into) const;
  void add_gradients(const ClientState& memory, const Forecast& forecast, double y,
                     BatchMean& into) const;

  std::shared_ptr<const BaselineSettings> settings_;
  PofMklVariant variant_;
  ModelSet theta_;
  std::vector<double> selection_;
};

}  // namespace caucus
