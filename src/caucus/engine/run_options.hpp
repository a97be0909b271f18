// The options of a run of several clients, simulated or served: those of learning, and the ones
// that a Selector does not have.
#pragma once

#include <optional>

#include "caucus/algorithms/baselines/baseline_rates.hpp"
#include "caucus/algorithms/robust.hpp"
#include "caucus/options.hpp"

namespace caucus {

/// Whether clients wait for each other under the adaptive schedule; under the others they do.
enum class Mode {
  asynchronous,  ///< a client uploads when its batch is full, and then gets new models
  synchronous    ///< all batches end together
};

enum class Horizon {
  rounds,   ///< T is the number of batches; with one round per upload, the paper's T
  examples  ///< T is the number of all reports, as in the authors' scripts
};

/// What the theory and constant schedules compute with.
struct ScheduleConstants {
  Horizon horizon = Horizon::rounds;
  std::optional<double> feature_bound;  ///< b_i >= |phi(x)|; computed from the data if absent
  std::optional<double> label_bound;    ///< Y >= |y|; computed from the data if absent
  double gradient_scale = 2.0;          ///< theory: S in G_i = S (U_i b_i + Y) b_i
  std::optional<double> loss_bound;     ///< C_i, a bound on the loss, for all spaces
  double eta = 1.0;                     ///< constant: rate of the probabilities
  double lambda = 1.0;                  ///< constant: rate of the models
};

struct RunOptions : LearningOptions {
  Mode mode = Mode::asynchronous;
  Robust robust = Robust::none;  ///< the protection against clients that lie
  ScheduleConstants constants;
  BaselineRates rates;
};

}  // namespace caucus
