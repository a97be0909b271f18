// The K spaces together with their feature maps phi_i. Spaces that share a map (linear ones of
// different radii) share its features, and kernels that share a base of frequencies share the
// projection base * x; an example's features are computed at most once.
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

/// What an example looks like: its features, then the predictions of frozen experts.
struct InputShape {
  std::size_t features = 0;
  std::size_t experts = 0;

  bool operator==(const InputShape&) const = default;
};

/// The random frequencies of one or several kernels, where simd::place_in_base says; they are
/// padded with zeros to a multiple of 16.
struct FrequencyBase {
  SpaceKind kernel = SpaceKind::gaussian;
  std::uint32_t id = 0;  ///< names the stream of random numbers
  std::size_t frequencies = 0;
  AlignedVector<float> values;

  [[nodiscard]] std::size_t width() const { return simd::padded(frequencies); }
  bool operator==(const FrequencyBase&) const = default;
};

class FeatureMaps {
 public:
  /// Every client makes the same frequencies from (seed, repetition); none is ever sent. `held` is
  /// how many of the spaces an example is asked about (J): if it is half of them or more, kernels
  /// whose widths are in ratio 2 share a sine and cosine, which changes their last digits.
  static Result<FeatureMaps> make(std::vector<Space> spaces, InputShape shape, std::uint64_t seed,
                                  std::uint32_t repetition, std::size_t held = 1);

  [[nodiscard]] std::size_t size() const { return spaces_.size(); }  ///< K
  [[nodiscard]] const Space& space(std::size_t i) const { return spaces_[i]; }
  [[nodiscard]] const std::vector<Space>& spaces() const { return spaces_; }
  [[nodiscard]] const InputShape& shape() const { return shape_; }
  /// Floats of an example: x, then the experts' predictions, then features that it brings along.
  [[nodiscard]] std::size_t example_size() const;
  [[nodiscard]] std::size_t dimension(std::size_t i) const { return maps_[map_of_[i]].dimension; }
  /// Spaces with the same number have the same features.
  [[nodiscard]] std::size_t map_of(std::size_t i) const { return map_of_[i]; }
  [[nodiscard]] std::size_t map_count() const { return maps_.size(); }

  /// Scratch memory for the features of one example; one per thread.
  class Workspace {
   public:
    explicit Workspace(const FeatureMaps& maps);
    /// Forget the last example; x must outlive the features taken from it.
    void begin(std::span<const float> x);

   private:
    friend class FeatureMaps;
    std::span<const float> x_;
    std::uint64_t example_ = 0;
    std::vector<AlignedVector<float>> features_, projections_;
    std::vector<std::uint64_t> features_of_, projection_of_;  ///< the example they belong to
  };

  /// phi_i of the workspace's example; empty for a frozen expert.
  std::span<const float> features(std::size_t i, Workspace& workspace) const;
  /// The forecast of frozen expert i for the example x.
  [[nodiscard]] double expert_forecast(std::size_t i, std::span<const float> x) const;
  [[nodiscard]] double expert_forecast(std::size_t i, const Workspace& workspace) const {
    return expert_forecast(i, workspace.x_);
  }

  /// The same spaces for examples that bring their features along, as expand() makes them: many
  /// runs on the same examples then compute them once. The numbers are the same, bit for bit.
  [[nodiscard]] FeatureMaps ready() const;
  /// Floats of an expanded example.
  [[nodiscard]] std::size_t expanded_size() const;
  /// [x | the features of every map that are not x itself] of the workspace's example.
  void expand(Workspace& workspace, std::span<float> out) const;
  /// Whether an example expanded for one can be read by the other.
  [[nodiscard]] bool same_features(const FeatureMaps& other) const;

 private:
  friend class FeatureTile;
  static constexpr std::size_t kNone = ~std::size_t{0};
  struct Map {
    SpaceKind kind = SpaceKind::linear;
    bool intercept = false;
    std::size_t base = 0;  ///< kernels: which base
    std::size_t frequencies = 0;
    double width = 1.0;
    std::size_t level = 0;  ///< kernels: how often the angles are doubled
    // kernels that share their angles:
    std::size_t levels = 1;
    std::size_t widest = 0;        ///< the map of level 0
    std::size_t narrower = kNone;  ///< the map of the next level
    float turns = 0.0F;            ///< kernels: half turns per unit of the projection, before that
    float amplitude = 0.0F;        ///< kernels: 1 / sqrt(frequencies)
    std::size_t dimension = 0;
    std::size_t offset = 0;  ///< in an expanded example; 0: the features are computed

    [[nodiscard]] bool is_example() const { return kind == SpaceKind::linear && !intercept; }
    bool operator==(const Map&) const = default;
  };

  [[nodiscard]] Map map_for(const Space& space, std::size_t base) const;
  /// Finds widths in ratio 2.
  void share_angles();
  void draw_frequencies(std::uint64_t seed, std::uint32_t repetition);
  void compute(const Map& map, std::size_t index, Workspace& workspace) const;
  static void add_intercept(std::span<const float> x, std::span<float> out);
  /// Where the phase is not finite or too large to mean anything it counts as 0, so that the
  /// features of an absurd example are still finite.
  static void random_features(simd::Wave wave, std::size_t levels, float amplitude,
                              std::size_t frequencies);

  InputShape shape_;
  std::vector<Space> spaces_;
  std::vector<std::size_t> map_of_;
  std::vector<Map> maps_;
  std::vector<FrequencyBase> bases_;
};

}  // namespace caucus
