// The examples of one repetition with their precomputed features, for many runs on the same
// examples: computing random features costs more than learning from them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "caucus/core/features/feature_maps.hpp"
#include "caucus/data/dataset.hpp"
#include "caucus/data/partition.hpp"
#include "caucus/engine/example_source.hpp"

namespace caucus {

/// An ExampleSource for FeatureMaps::ready() of the same maps.
class ReadyExamples {
 public:
  ReadyExamples(const FeatureMaps& maps, const Dataset& data, const Partition& partition);

  [[nodiscard]] std::size_t clients() const { return begin_.size() - 1; }
  [[nodiscard]] std::size_t rounds(std::size_t client) const {
    return begin_[client + 1] - begin_[client];
  }
  [[nodiscard]] Example example(std::size_t client, std::size_t round) const {
    const std::size_t place = begin_[client] + round;
    return {std::span(x_).subspan(place * width_, width_), y_[place]};
  }

 private:
  std::size_t width_;
  std::vector<std::size_t> begin_{0};  ///< the first example of each client
  std::vector<float> x_;
  std::vector<double> y_;
};

}  // namespace caucus
