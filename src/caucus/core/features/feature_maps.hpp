// The K spaces and their feature maps phi_i. Spaces with the same map (linear ones of different
// radii) share its features, and kernels with the same base of frequencies share the projection
// base * x. Each feature of an example is computed at most once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "caucus/core/base/aligned.hpp"
#include "caucus/core/simd/kernel_table.hpp"
#include "caucus/result.hpp"
#include "caucus/space.hpp"

namespace caucus {

/// The shape of an example: its features, then the predictions of experts.
struct InputShape {
  std::size_t features = 0;
  std::size_t experts = 0;

  bool operator==(const InputShape&) const = default;
};

/// The random frequencies of one or several kernels, in the order of simd::place_in_base, padded
/// with zeros to a multiple of 16.
struct FrequencyBase {
  SpaceKind kernel = SpaceKind::gaussian;
  std::uint32_t id = 0;  ///< part of the key of its random numbers
  std::size_t frequencies = 0;
  AlignedVector<float> values;

  [[nodiscard]] std::size_t width() const { return simd::padded(frequencies); }
  bool operator==(const FrequencyBase&) const = default;
};

class FeatureMaps {
 public:
  /// Every client computes the same frequencies from (seed, repetition), so they are not sent.
  /// `sample_size` is J, the number of spaces that are used for an example. If it is at least half
  /// of K, kernels whose widths are in ratio 2 share a sine and cosine, which changes their last
  /// digits.
  static Result<FeatureMaps> make(std::vector<Space> spaces, InputShape shape, std::uint64_t seed,
                                  std::uint32_t repetition, std::size_t sample_size = 1);

  [[nodiscard]] std::size_t size() const { return spaces_.size(); }  ///< K
  [[nodiscard]] const Space& space(std::size_t i) const { return spaces_[i]; }
  [[nodiscard]] const std::vector<Space>& spaces() const { return spaces_; }
  [[nodiscard]] const InputShape& shape() const { return shape_; }
  /// The number of floats of an example: x, the experts' predictions, and precomputed features.
  [[nodiscard]] std::size_t example_size() const;
  [[nodiscard]] std::size_t dimension(std::size_t i) const { return maps_[map_of_[i]].dimension; }
  /// Spaces with the same map number have the same features.
  [[nodiscard]] std::size_t map_of(std::size_t i) const { return map_of_[i]; }
  [[nodiscard]] std::size_t map_count() const { return maps_.size(); }

  /// Scratch memory for the features of one example; one per thread.
  class Workspace {
   public:
    explicit Workspace(const FeatureMaps& maps);
    /// Begins a new example. x must outlive the features computed from it.
    void begin(std::span<const float> x);

   private:
    friend class FeatureMaps;
    std::span<const float> x_;
    std::uint64_t example_ = 0;
    std::vector<AlignedVector<float>> features_, projections_;
    std::vector<std::uint64_t> features_of_, projection_of_;  ///< the example they belong to
  };

  /// Returns phi_i of the workspace's example; empty for an expert.
  std::span<const float> features(std::size_t i, Workspace& workspace) const;
  /// Returns the prediction of expert i for the example x.
  [[nodiscard]] double expert_forecast(std::size_t i, std::span<const float> x) const;
  [[nodiscard]] double expert_forecast(std::size_t i, const Workspace& workspace) const {
    return expert_forecast(i, workspace.x_);
  }

  /// Returns the same spaces for examples with precomputed features (see expand()), so that many
  /// runs on the same examples compute them once. The features have the same bits.
  [[nodiscard]] FeatureMaps ready() const;
  /// The number of floats of an expanded example.
  [[nodiscard]] std::size_t expanded_size() const;
  /// Writes x and the features of every map that differ from x, for the workspace's example.
  void expand(Workspace& workspace, std::span<float> out) const;
  /// Returns whether an example expanded for one is valid for the other.
  [[nodiscard]] bool same_features(const FeatureMaps& other) const;

 private:
  friend class FeatureTile;
  static constexpr std::size_t kNone = ~std::size_t{0};
  struct Map {
    SpaceKind kind = SpaceKind::linear;
    bool intercept = false;
    std::size_t base = 0;  ///< kernels: the index of the base
    std::size_t frequencies = 0;
    double width = 1.0;
    std::size_t level = 0;  ///< kernels: how often the angles are doubled
    // For kernels that share their angles:
    std::size_t levels = 1;
    std::size_t widest = 0;        ///< the map of level 0
    std::size_t narrower = kNone;  ///< the map of the next level
    float turns = 0.0F;            ///< kernels: half turns per unit of projection, before doubling
    float amplitude = 0.0F;        ///< kernels: 1 / sqrt(frequencies)
    std::size_t leading = 0;       ///< kernels: coordinates before the random features
    float leading_factor = 1.0F;   ///< the factor of x in them
    std::size_t dimension = 0;
    std::size_t offset = 0;  ///< in an expanded example; 0 if the features are computed

    [[nodiscard]] bool is_example() const { return kind == SpaceKind::linear && !intercept; }
    bool operator==(const Map&) const = default;
  };

  [[nodiscard]] Map map_for(const Space& space, std::size_t base) const;
  /// Finds kernels whose widths are in ratio 2.
  void share_angles();
  void draw_frequencies(std::uint64_t seed, std::uint32_t repetition);
  void compute(const Map& map, std::size_t index, Workspace& workspace) const;
  /// Writes factor * x and 1, the coordinates that an intercept puts before those of a kernel.
  static void add_intercept(std::span<const float> x, float factor, std::span<float> out);
  /// A phase that is not finite, or too large to be meaningful, counts as 0, so that features are
  /// always finite.
  static void random_features(simd::Wave wave, std::size_t levels, float amplitude,
                              std::size_t frequencies);

  InputShape shape_;
  std::vector<Space> spaces_;
  std::vector<std::size_t> map_of_;
  std::vector<Map> maps_;
  std::vector<FrequencyBase> bases_;
};

}  // namespace caucus
