// One model for each of the K spaces, in one piece of memory.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "caucus/algorithms/round.hpp"
#include "caucus/core/features/feature_maps.hpp"

namespace caucus {

class ModelSet {
 public:
  ModelSet() = default;
  /// All weights 0.
  explicit ModelSet(const FeatureMaps& maps);

  [[nodiscard]] bool empty() const { return begin_.size() < 2; }
  [[nodiscard]] std::size_t size() const { return begin_.size() - 1; }  ///< K
  [[nodiscard]] std::span<float> operator[](std::size_t i) {
    return {values_.data() + begin_[i], begin_[i + 1] - begin_[i]};
  }
  [[nodiscard]] std::span<const float> operator[](std::size_t i) const {
    return {values_.data() + begin_[i], begin_[i + 1] - begin_[i]};
  }
  /// The weights of all models, one after another.
  [[nodiscard]] std::span<float> all() { return values_; }
  [[nodiscard]] std::span<const float> all() const { return values_; }

  /// The K models as they are handed to a client.
  void lend(std::vector<HeldModel>& into) const;
  [[nodiscard]] std::vector<std::vector<float>> copy() const;

 private:
  std::vector<float> values_;
  std::vector<std::size_t> begin_ = {0};
};

/// What `count` models have at most, as numbers: where a client chooses what it sends, its upload
/// is known only afterwards, unless all spaces have the same dimension.
std::size_t largest_dimensions(const FeatureMaps& maps, std::size_t count);

}  // namespace caucus
