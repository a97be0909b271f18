// The features of many examples at once: the projections of all that share a base are one small
// matrix product, and their sines are computed together. An example's features have the same bits
// as when it comes alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "caucus/core/aligned.hpp"
#include "caucus/core/feature_maps.hpp"

namespace caucus {

class FeatureTile {
 public:
  explicit FeatureTile(const FeatureMaps& maps);

  void clear();
  /// What follows is asked about x, which must outlive the tile's use of it.
  void begin_example(std::span<const float> x) {
    x_ = x;
    ++example_;
  }
  /// Where phi_i(x) is after compute(), until clear(); nothing for a frozen expert.
  std::span<const float> request(std::size_t space) {
    const std::size_t index = maps_->map_of_[space];
    const FeatureMaps::Map& map = maps_->maps_[index];
    if (map.is_example()) return x_.first(map.dimension);
    if (map.offset > 0) return x_.subspan(map.offset, map.dimension);
    return {computed(index, map), map.dimension};
  }
  void compute();

 private:
  struct Job {  ///< random features to be computed
    const FeatureMaps::Map* map;
    std::size_t row;  ///< of its base's projections
    float* out;
  };
  struct Projections {
    std::vector<const float*> examples;
    AlignedVector<float> rows;
    float size = 0.0F;  ///< the largest magnitude in all rows
    std::uint64_t last_example = 0;
  };
  struct LastRequest {
    std::uint64_t example = 0;
    const float* features = nullptr;
  };
  const float* computed(std::size_t index, const FeatureMaps::Map& map);
  float* take(std::size_t floats);
  std::size_t row_of(std::size_t base);
  void project_examples(std::size_t base);
  void compute_waves();

  const FeatureMaps* maps_;
  std::span<const float> x_;
  std::uint64_t example_ = 0;  ///< counted over all tiles, so that old marks mean nothing
  std::vector<Job> jobs_;
  std::vector<simd::Wave> waves_;
  std::vector<LastRequest> last_of_map_;
  std::vector<Projections> projections_;  ///< one per base
  std::vector<std::size_t> touched_;      ///< bases
  std::vector<AlignedVector<float>> chunks_;  ///< of memory for features, which must not move
  std::size_t chunk_ = 0, used_ = 0;          ///< the one in use, and how much of it
};

}  // namespace caucus
