// The features of many examples at once: the projections of all that share a base are one small
// matrix product, and the sines of all that have as many frequencies are computed together. An
// example's features have the same bits as when it comes alone.
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
  static constexpr std::size_t kExamples = 64;  ///< at most, before it is cleared

  explicit FeatureTile(const FeatureMaps& maps);

  void clear();
  /// What follows is asked about x, which must outlive the tile's use of it.
  void begin_example(std::span<const float> x) {
    x_ = x;
    ++example_;
  }
  /// Where phi_i(x) is after compute(), until clear(); nothing for a frozen expert.
  std::span<const float> request(std::size_t space) {
    Recipe& recipe = recipes_[maps_->map_of_[space]];
    const FeatureMaps::Map& map = *recipe.map;
    if (map.is_example()) return x_.first(map.dimension);
    if (map.offset > 0) return x_.subspan(map.offset, map.dimension);
    if (map.dimension == 0) return {};
    if (recipe.example != example_) {
      recipe.features = compute_later(recipe);
      recipe.example = example_;
    }
    return {recipe.features, map.dimension};
  }
  void compute();

 private:
  struct Projections {  ///< of one base
    std::vector<const float*> examples;
    AlignedVector<float> rows;  ///< kExamples of them, once there was one
    std::uint64_t last_example = 0;
    const float* last_row = nullptr;
  };
  struct Waves {  ///< of one base and number of frequencies
    std::size_t base = 0;
    std::size_t frequencies = 0;
    float amplitude = 0.0F;
    float turns = 0.0F;  ///< the most that any of its maps has
    std::vector<simd::Wave> wanted;
  };
  struct Recipe {  ///< of one map
    const FeatureMaps::Map* map;
    std::size_t waves = 0;    ///< kernels: where it belongs
    std::size_t partner = 0;  ///< kernels: the map whose angles are twice or half of these, or itself
    // The last request:
    std::uint64_t example = 0;
    const float* features = nullptr;
    std::size_t wave = 0;  ///< of waves
  };

  /// Where the projection of this example will be.
  const float* row_of(std::size_t base) {
    Projections& projections = projections_[base];
    if (projections.last_example != example_) {
      if (projections.examples.empty()) touch(base);
      projections.last_row =
          projections.rows.data() + projections.examples.size() * maps_->bases_[base].width();
      projections.examples.push_back(x_.data());
      projections.last_example = example_;
    }
    return projections.last_row;
  }
  float* take(std::size_t floats) {
    if (static_cast<std::size_t>(end_ - next_) < floats) next_chunk(floats);
    float* const taken = next_;
    next_ += floats;
    return taken;
  }
  float* compute_later(Recipe& recipe);
  void touch(std::size_t base);
  void next_chunk(std::size_t floats);
  void compute(Waves& waves);

  const FeatureMaps* maps_;
  std::span<const float> x_;
  std::uint64_t example_ = 0;  ///< counted over all tiles, so that old marks mean nothing
  std::vector<Recipe> recipes_;
  std::vector<Waves> waves_;
  std::vector<Projections> projections_;  ///< one per base
  std::vector<std::size_t> touched_;      ///< bases
  std::vector<std::size_t> touched_waves_;

  // Memory for features. It must not move while they are in use, so it comes in chunks.
  std::vector<AlignedVector<float>> chunks_;
  std::size_t chunk_ = 0;  ///< in use: chunks_[chunk_ - 1], of which [next_, end_) is left
  float* next_ = nullptr;
  float* end_ = nullptr;
};

}  // namespace caucus
