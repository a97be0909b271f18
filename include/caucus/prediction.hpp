// The prediction for an example, and how many predictions have received their true value.
#pragma once

#include <cstdint>
#include <vector>

namespace caucus {

struct Prediction {
  std::uint64_t id = 0;     ///< identifies the prediction in observe()
  double output = 0.0;      ///< the predicted value; if each class has an output, the class
  std::uint64_t batch = 0;  ///< the batch whose models made it
  std::vector<double> probabilities = {};  ///< of the classes, if each has an output
};

struct PredictionCounts {
  std::uint64_t predictions = 0;
  std::uint64_t observed = 0;   ///< true values that arrived in time
  std::uint64_t forgotten = 0;  ///< predictions whose true value arrived too late or never
  std::uint64_t clipped = 0;    ///< numbers outside the ranges of the plan
};

}  // namespace caucus
