// The prediction for an example, and the numbers of predictions that were learned from.
#pragma once

#include <cstdint>

namespace caucus {

struct Prediction {
  std::uint64_t id = 0;  ///< identifies the prediction in observe()
  double output = 0.0;
  std::uint64_t batch = 0;  ///< the batch whose models made it
};

struct PredictionCounts {
  std::uint64_t predictions = 0;
  std::uint64_t observed = 0;   ///< true values that arrived in time
  std::uint64_t forgotten = 0;  ///< predictions whose true value arrived too late or never
};

}  // namespace caucus
