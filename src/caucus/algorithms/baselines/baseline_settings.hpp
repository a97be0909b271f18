// What the baselines are made of. They share one record, so that a comparison changes the name of
// the algorithm and nothing else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "caucus/algorithms/oms_client.hpp"
#include "caucus/options.hpp"

namespace caucus {

struct BaselineSettings {
  std::shared_ptr<const Plan> plan;
  std::size_t sampled = 2;  ///< J, the size of a bin of POF-MKL
  std::size_t clients = 1;  ///< M
  BaselineRates rates;
  std::uint64_t seed = 1;
  std::uint32_t repetition = 0;
};

}  // namespace caucus
