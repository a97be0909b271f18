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

#include "caucus/algorithms/baselines/baseline.hpp"
#include "caucus/core/mirror/simplex.hpp"

namespace caucus {

/// The script behind the published comparison takes the features of the last kernel for every
/// gradient. That variant exists to reproduce the published numbers; all spaces must then have the
/// same dimension.
enum class PofMklVariant { correct, as_published };

/// Kernels that are reported together, and the probability of that.
struct KernelBin {
  std::vector<std::uint32_t> spaces;
  double probability = 1.0;  ///< u_b
};

/// Cuts the kernels, by falling v and then index, into bins of `size`; the last may be smaller.
std::vector<KernelBin> kernel_bins(const Simplex& v, std::size_t size, double exploration);

class PofMkl : public Baseline {
 public:
  struct ClientState {
    ClientClock clock;
    Simplex v;
    std::vector<HeldModel> theta;
    std::vector<double> penalties;  ///< lambda |theta_i|^2
    KernelBin bin;                  ///< has no spaces until it is drawn
    // Sums over the batch for the models of the bin:
    std::vector<std::vector<double>> gradient_sums;
    ModelSet gradient_means;
  };

  explicit PofMkl(std::shared_ptr<const BaselineSettings> settings,
                  PofMklVariant variant = PofMklVariant::correct);

  void predict(ClientState& memory, const Assignment& assignment, std::span<const float> x,
               Forecast& into) const;
  void report(ClientState& memory, const Forecast& forecast, double y, BaselineBatch& into) const;
  void step(const Batch& batch, const KeptReports& reports);

  /// Up: the J models of a bin and their indices; down: all K models. The client chooses
  /// the bin: before its report has arrived, this is the largest upload that it can choose.
  [[nodiscard]] std::size_t upload_bits(const Assignment&) const {
    return bits_of(largest_models(settings_->sample_size));
  }
  [[nodiscard]] std::size_t upload_bits(const ReportBatch& reports) const {
    return bits_of(reports);
  }
  [[nodiscard]] std::size_t download_bits(const Assignment& assignment) const {
    return 32 * HeldSize(assignment).floats;
  }

 private:
  void draw_bin(ClientState& memory) const;

  PofMklVariant variant_;
};

}  // namespace caucus
