// The rates of the baselines.
#pragma once

namespace caucus {

/// FOMD-OMS does not use them.
struct BaselineRates {
  double weight_rate = 1.0;      ///< rate of the weights over the spaces: eta_g or eta_j
  double model_rate = 0.5;       ///< rate of the models: eta_l or eta
  double regularization = 1e-4;  ///< lambda, the weight of the penalty |w|^2
  double exploration = 1.0;      ///< xi of POF-MKL, the scale of delta_t of FEDPOSGD
};

}  // namespace caucus
