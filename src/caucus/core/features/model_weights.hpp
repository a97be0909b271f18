// The weights of all models in one block of memory. Each model begins on a cache line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "caucus/core/base/aligned.hpp"
#include "caucus/core/base/state_io.hpp"
#include "caucus/core/features/feature_maps.hpp"
#include "caucus/result.hpp"

namespace caucus {

class ModelWeights {
 public:
  /// All weights are 0. A model has those of each of its outputs, one after another.
  explicit ModelWeights(const FeatureMaps& maps, std::size_t outputs = 1) : outputs_(outputs) {
    std::size_t begin = 0;
    for (std::size_t i = 0; i < maps.size(); ++i) {
      places_.push_back({begin, outputs * maps.dimension(i)});
      begin += simd::padded(places_.back().size);
    }
    values_.assign(begin, 0.0F);
  }

  std::span<float> operator[](std::size_t i) {
    return {values_.data() + places_[i].begin, places_[i].size};
  }
  std::span<const float> operator[](std::size_t i) const {
    return {values_.data() + places_[i].begin, places_[i].size};
  }
  /// Returns pointers to the weights of some models.
  void rows(std::span<const std::uint32_t> models, const float** into) const {
    const Place* const places = places_.data();
    const float* const values = values_.data();
    for (std::size_t m = 0; m < models.size(); ++m) into[m] = values + places[models[m]].begin;
  }

  /// restore() needs weights of the same spaces; discard them after an error.
  void save(StateWriter& to) const;
  Status restore(StateReader& from, const FeatureMaps& maps);

 private:
  struct Place {
    std::size_t begin = 0, size = 0;
  };
  std::size_t outputs_;
  std::vector<Place> places_;
  AlignedVector<float> values_;
};

}  // namespace caucus
