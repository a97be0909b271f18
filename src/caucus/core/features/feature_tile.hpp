// Computes the features of many examples at once: the projections onto one base are one small
// matrix product, and the sines of maps with the same number of frequencies are computed together.
// The features have the same bits as for a single example.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "caucus/core/base/aligned.hpp"
#include "caucus/core/base/float_arena.hpp"
#include "caucus/core/features/feature_maps.hpp"

namespace caucus {

class FeatureTile {
 public:
  static constexpr std::size_t kExamples = 64;  ///< the most examples at once

  explicit FeatureTile(const FeatureMaps& maps);

  /// Computes the features of `count` examples in J spaces each, and their products with J models
  /// each. Requests and results are ordered by example. The features are in `memory`, or are the
  /// examples themselves.
  struct Pairs {
    std::size_t count, J;
    const float* const* examples;
    const std::uint32_t* spaces;
    const float* const* models;  ///< not read for experts
    const float** features;      ///< out: pointers to the features
    double* products;            ///< out, except for experts
  };
  void compute_pairs(const Pairs& pairs, FloatArena& memory);
  /// Computes the features only; neither models nor products are used.
  void compute_features(const Pairs& pairs, FloatArena& memory);

 private:
  struct Projections {                   ///< onto one base
    std::vector<const float*> examples;  ///< the requested ones
    AlignedVector<float> rows;           ///< kExamples rows, allocated at first use
    float largest = 0.0F;                ///< the magnitude of the computed rows
    std::uint64_t last_example = 0;
    const float* last_row = nullptr;
  };
  struct Waves {  ///< of maps with one base and as many levels
    FeatureMaps::Map map;
    float turns = 0.0F;  ///< the largest turns of its maps
    std::vector<simd::Wave> wanted;
  };
  struct Requests {  ///< the last requests for a map
    std::size_t waves = 0;
    std::uint64_t example = 0;
    const float* features = nullptr;
    // Kept at the widest of the maps that share their angles, for all of them:
    std::uint64_t wave_example = 0;
    std::size_t wave = 0;
  };

  /// Requests phi_i(x), which the result holds after compute(); it is empty for an expert.
  const float* request(std::size_t space, const float* x, FloatArena& memory);
  /// Returns the position of the projection of this example.
  const float* row_of(std::size_t base, const float* x);
  void compute();
  void compute(Waves& waves) const;
  void multiply(const Pairs& pairs) const;

  const FeatureMaps* maps_;
  std::uint64_t example_ = 0;             ///< counts over all tiles, so old requests are invalid
  std::vector<Projections> projections_;  ///< one per base
  std::vector<Waves> waves_;
  std::vector<Requests> requests_;  ///< one per map
  std::vector<std::size_t> touched_bases_, touched_waves_;
};

}  // namespace caucus
