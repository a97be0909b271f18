// Options of learning: the candidate spaces, the loss, the number of models that a client holds,
// and the schedule of the learning rates. The defaults need no tuning.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "caucus/loss.hpp"
#include "caucus/space.hpp"

namespace caucus {

enum class ScheduleKind {
  adaptive,              ///< nothing to tune; least squares from sums over growing batches
  adaptive_first_order,  ///< nothing to tune; gradients of every round, for large dimensions
  theory,                ///< the paper's rates
  constant               ///< the rates `eta` and `lambda` below
};
constexpr bool is_adaptive(ScheduleKind kind) {
  return kind == ScheduleKind::adaptive || kind == ScheduleKind::adaptive_first_order;
}

/// How a server protects what it learns from clients that lie.
enum class Robust {
  none,  ///< every report counts with its examples
  clip,  ///< a report that the models fit much worse than most counts less
  trim   ///< the quarter of the reports that the models fit worst does not count
};

/// Whether clients wait for each other under the adaptive schedule; under the others they do.
enum class Mode {
  asynchronous,  ///< a client uploads when its batch is full, and then gets new models
  synchronous    ///< all batches end together
};

enum class Horizon {
  rounds,   ///< T is the number of batches; with one round per upload, the paper's T
  examples  ///< T is the number of all reports, as in the authors' scripts
};

struct ScheduleOptions {
  ScheduleKind kind = ScheduleKind::adaptive;
  Horizon horizon = Horizon::rounds;
  std::optional<double> feature_bound;  ///< b_i >= |phi(x)|; computed from the data if absent
  std::optional<double> label_bound;    ///< Y >= |y|; computed from the data if absent
  double gradient_scale = 2.0;          ///< theory: S in G_i = S (U_i b_i + Y) b_i
  std::optional<double> loss_bound;     ///< C_i, a bound on the loss, for all spaces
  double eta = 1.0;                     ///< constant: rate of the probabilities
  double lambda = 1.0;                  ///< constant: rate of the models
  double fixed_share = 0.0;  ///< share of the past forgotten per batch; 0.001 to 0.01 if data drift
};

/// The rates of the baselines; FOMD-OMS does not use them.
struct BaselineRates {
  double weight_rate = 1.0;      ///< rate of the weights over the spaces: eta_g or eta_j
  double model_rate = 0.5;       ///< rate of the models: eta_l or eta
  double regularization = 1e-4;  ///< lambda, the weight of the penalty |w|^2
  double exploration = 1.0;      ///< xi of POF-MKL, the scale of delta_t of FEDPOSGD
};

/// A linear space and Gaussian kernels of the widths 0.5, 1, 2, ..., 64, all of this radius.
std::vector<Space> default_spaces(double radius, bool intercept);

struct LearningOptions {
  std::vector<Space> spaces;
  Loss loss;
  std::size_t sample_size = 0;  ///< J, the models that a client holds; 0 means min(2, K)
  /// N; 0 means that batches grow under the adaptive schedule, and 1 under the others.
  std::size_t rounds_per_upload = 0;
  double growth = 0.3;        ///< length of a growing batch, as a share of the rounds before it
  std::size_t min_batch = 0;  ///< least length of such a batch; 0 means enough to hide the examples
  bool personal = true;       ///< adaptive: each client corrects forecasts by its own examples
  Mode mode = Mode::asynchronous;
  Robust robust = Robust::none;  ///< the protection against clients that lie
  ScheduleOptions schedule;
  BaselineRates rates;
  std::uint64_t seed = 1;

  [[nodiscard]] std::size_t resolved_sample_size() const {
    return sample_size > 0 ? sample_size : (spaces.size() < 2 ? spaces.size() : 2);
  }
};

}  // namespace caucus
