// What a client gets for an example, and how many of its predictions have been learned from.
#pragma once

#include <cstdint>

namespace caucus {

struct Prediction {
  std::uint64_t id = 0;  ///< names the prediction when its true value is known
  double output = 0.0;
  std::uint64_t batch = 0;  ///< the batch whose models made it
};

struct PredictionCounts {
  std::uint64_t predictions = 0;
  std::uint64_t observed = 0;   ///< true values that came in time
  std::uint64_t forgotten = 0;  ///< predictions whose true value came too late or never
};

}  // namespace caucus
