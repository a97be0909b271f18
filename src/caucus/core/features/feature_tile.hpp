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
  FeatureTile(const FeatureTile&) = delete;
  FeatureTile& operator=(const FeatureTile&) = delete;
  FeatureTile(FeatureTile&&) = default;
  FeatureTile& operator=(FeatureTile&&) = default;
  ~FeatureTile() = default;

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

 private:
  struct Projections {  ///< of one base
    const FrequencyBase* base = nullptr;
    std::size_t width = 0;
    std::vector<const float*> examples;  ///< kExamples entries, of which `count` are used
    std::size_t count = 0;
    AlignedVector<float> rows;  ///< kExamples rows, allocated at first use
    float largest = 0.0F;       ///< the magnitude of the computed rows
    std::uint64_t last_example = 0;
    float* last_row = nullptr;
  };
  struct Waves {  ///< of one base, and of families with as many levels
    Projections* projections;
    std::size_t frequencies = 0;
    std::size_t levels = 1;
    float amplitude = 0.0F;
    float turns = 0.0F;  ///< the largest turns of its maps
    std::vector<simd::Wave> wanted;
    std::size_t count = 0;         ///< of the requested ones
    double unasked_product = 0.0;  ///< receives products of levels that were not requested

    [[nodiscard]] std::span<const simd::Wave> begun() const {
      return std::span(wanted).first(count);
    }
  };
  struct Family {  ///< maps whose angles are doubled angles of one map
    Waves* waves = nullptr;
    float turns = 0.0F;
    // The last request for any of them:
    std::uint64_t example = 0;
    std::size_t wave = 0;
  };
  enum class Source { example, waves, intercept };
  struct Recipe {  ///< how to compute one map
    Source source = Source::example;
    bool shared = false;  ///< whether several spaces use it
    std::size_t dimension = 0;
    std::size_t offset = 0;    ///< of the features in the example
    Family* family = nullptr;  ///< that the map belongs to
    std::size_t level = 0;     ///< how often the family's angles are doubled
    // The last request:
    std::uint64_t example = 0;
    const float* features = nullptr;
  };

  float* take(std::size_t floats) { return memory_->take(floats); }
  /// Begins the requests for the example x.
  void begin_example(std::span<const float> x) {
    x_ = x;
    ++example_;
  }
  /// Requests phi_i(x). The result holds it after compute(); it is empty for an expert.
  [[gnu::always_inline]] const float* request(std::size_t space) {
    Recipe& recipe = *recipe_of_[space];
    if (recipe.source == Source::example) return x_.data() + recipe.offset;
    if (recipe.shared) {  // another space may have requested it for this example
      if (recipe.example == example_) return recipe.features;
      recipe.example = example_;
    }
    recipe.features = recipe.source == Source::waves ? want(recipe) : with_intercept(recipe);
    return recipe.features;
  }
  void compute();
  /// A request of a space, if all spaces belong to only_waves_.
  struct Place {
    std::uint32_t family = 0, level = 0;
  };
  /// Used if all spaces are kernels of one base with different widths.
  void compute_waves(const Pairs& pairs);
  void request_waves(const Pairs& pairs);
  void request_families(const Pairs& pairs, float* memory);
  void multiply(const Pairs& pairs) const;
  /// Levels that were not requested are written to `unasked`, one after another.
  static void begin_wave(Waves& waves, simd::Wave& wave, const float* row, float turns,
                         float* unasked) {
    wave.x = row;
    wave.factor = turns;
    for (std::size_t level = 0; level < waves.levels; ++level) {
      wave.out[level] = unasked;
      wave.model[level] = unasked;
      wave.product[level] = &waves.unasked_product;
    }
  }
  [[gnu::always_inline]] const float* want(Recipe& recipe) {
    float* const out = take(recipe.dimension);
    Family& family = *recipe.family;
    Waves& waves = *family.waves;
    if (family.example != example_) {
      family.example = example_;
      if (waves.count == 0) touched_waves_.push_back(&waves);
      if (waves.count == waves.wanted.size()) make_room(waves, waves.count + 1);
      family.wave = waves.count++;
      begin_wave(waves, waves.wanted[family.wave], row_of(*waves.projections), family.turns,
                 waves.levels > 1 ? take(recipe.dimension) : nullptr);
    }
    waves.wanted[family.wave].out[recipe.level] = out;
    return out;
  }
  /// Returns the position of the projection of this example.
  const float* row_of(Projections& projections) {
    if (projections.last_example != example_) {
      if (projections.count == 0) touch(projections);
      projections.last_row = projections.rows.data() + projections.count * projections.width;
      projections.examples[projections.count++] = x_.data();
      projections.last_example = example_;
    }
    return projections.last_row;
  }
  void make_room(Waves& waves, std::size_t count);
  const float* with_intercept(const Recipe& recipe);
  void touch(Projections& projections);
  void project_examples();
  /// Returns whether all phases are small enough for scaled_sincos().
  static bool is_tame(const Waves& waves);
  static void compute(Waves& waves);

  const FeatureMaps* maps_;
  std::size_t example_size_;
  std::span<const float> x_;
  std::uint64_t example_ = 0;  ///< counted over all tiles, so that old marks are invalid
  // These vectors must not grow or move, because they refer to each other.
  std::vector<Projections> projections_;  ///< one per base
  std::vector<Waves> waves_;
  std::vector<Family> families_;
  std::vector<Recipe> recipes_;     ///< one per map
  std::vector<Recipe*> recipe_of_;  ///< one per space
  std::vector<Projections*> touched_;
  std::vector<Waves*> touched_waves_;
  Waves* only_waves_ = nullptr;   ///< set if all spaces use these waves and none shares a map
  std::vector<Place> places_;     ///< one per space, in that case
  std::vector<float> turns_;      ///< one per space, in that case
  FloatArena* memory_ = nullptr;  ///< set while computing
};

}  // namespace caucus
