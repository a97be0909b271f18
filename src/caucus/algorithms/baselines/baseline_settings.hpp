// What the baselines are made of. They share one record, so that a comparison changes the name of
// the algorithm and nothing else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "caucus/algorithms/oms_client.hpp"

namespace caucus {

struct BaselineRates {
  double weight_rate = 1.0;      ///< of the weights over the spaces: eta_g or eta_j
  double model_rate = 0.5;       ///< of the models: eta_l or eta
  double regularization = 1e-4;  ///< lambda
  double exploration = 1.0;      ///< xi of POF-MKL, the scale of delta_t of FEDPOSGD
};

struct BaselineSettings {
  std::shared_ptr<const Plan> plan;
  std::size_t sampled = 2;  ///< J, the size of a bin of POF-MKL
  std::size_t clients = 1;  ///< M
  BaselineRates rates;
  std::uint64_t seed = 1;
  std::uint32_t repetition = 0;
};

}  // namespace caucus
