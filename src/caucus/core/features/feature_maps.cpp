#include "caucus/core/features/feature_maps.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <tuple>
#include <utility>

#include "caucus/core/base/random.hpp"
#include "caucus/core/base/text.hpp"
#include "caucus/core/base/vector.hpp"
#include "caucus/core/features/kernel.hpp"
#include "caucus/core/features/validate_space.hpp"

namespace caucus {

Status validate_space(const Space& space, const InputShape& shape) {
  const auto wrong = [&](std::string what, std::string expected) -> Status {
    return usage_error("space '" + space.name() + "'", std::move(what), std::move(expected));
  };
  if (space.kind == SpaceKind::expert) {
    if (!space.function && space.expert >= shape.experts) {
      return wrong("there are " + std::to_string(shape.experts) + " expert columns",
                   "expected a column of predictions for every expert");
    }
    return Done{};
  }
  if (!(space.radius > 0.0)) {
    return wrong("the radius is " + to_text(space.radius), "expected a positive number");
  }
  if (shape.features == 0) return wrong("the data have no features", "expected at least one");
  if (space.is_kernel()) {
    if (!(space.width >= 1e-30) || !(space.width <= 1e30)) {  // the inverse must fit a float
      return wrong("the width is " + to_text(space.width),
                   "expected a positive number from 1e-30 to 1e30");
    }
    if (space.features == 0) return wrong("it has no random features", "expected at least one");
  }
  return Done{};
}

namespace {

/// Projection and angle are floats. Any finite input must give finite features.
float finite_float(double value) {
  constexpr double kLargest = 1e30;
  return static_cast<float>(std::clamp(value, -kLargest, kLargest));
}

}  // namespace

Result<FeatureMaps> FeatureMaps::make(std::vector<Space> spaces, InputShape shape,
                                      std::uint64_t seed, std::uint32_t repetition,
                                      std::size_t sample_size) {
  if (spaces.empty()) return usage_error("spaces", "there are none", "expected at least one");
  FeatureMaps maps;
  maps.shape_ = shape;
  std::map<std::pair<std::uint32_t, std::size_t>, std::size_t> base_of;
  std::map<std::tuple<SpaceKind, bool, std::size_t, double>, std::size_t> map_of;
  for (std::size_t i = 0; i < spaces.size(); ++i) {
    const Space& space = spaces[i];
    CAUCUS_CHECK(validate_space(space, shape));
    std::size_t base = 0;
    if (space.is_kernel()) {
      // A shared base gets its number from the kernel, a separate base from the index of the space,
      // so that appending a space does not change the frequencies of the others.
      const auto id = space.independent_base ? 16 + static_cast<std::uint32_t>(i)
                                             : static_cast<std::uint32_t>(space.kind);
      const auto [found, is_new] = base_of.try_emplace({id, space.features}, maps.bases_.size());
      if (is_new) maps.bases_.push_back({space.kind, id, space.features, {}});
      base = found->second;
    }
    const Map map = maps.map_for(space, base);
    const auto [found, is_new] =
        map_of.try_emplace({map.kind, map.intercept, map.base, map.width}, maps.maps_.size());
    if (is_new) {
      maps.maps_.push_back(map);
      maps.maps_.back().widest = found->second;
    }
    maps.map_of_.push_back(found->second);
  }
  maps.spaces_ = std::move(spaces);
  if (sample_size > 1 && 2 * sample_size >= maps.size()) maps.share_angles();
  maps.draw_frequencies(seed, repetition);
  return maps;
}

FeatureMaps::Map FeatureMaps::map_for(const Space& space, std::size_t base) const {
  Map map;
  map.kind = space.kind;
  map.base = base;
  map.dimension = space.dimension(shape_.features);
  if (space.kind == SpaceKind::linear) {
    map.intercept = space.intercept;
  } else if (space.is_kernel()) {
    map.frequencies = space.features;
    map.width = space.width;
    map.intercept = space.intercept;
    map.leading = space.intercept ? shape_.features + 1 : 0;
    map.leading_factor = static_cast<float>(1.0 / std::sqrt(static_cast<double>(shape_.features)));
    map.turns = static_cast<float>(1.0 / (std::numbers::pi * map.width));
    map.amplitude = static_cast<float>(1.0 / std::sqrt(static_cast<double>(map.frequencies)));
  }
  return map;
}

void FeatureMaps::share_angles() {
  std::map<std::pair<std::size_t, float>, std::size_t> by_turns;
  for (std::size_t m = 0; m < maps_.size(); ++m) {
    if (maps_[m].frequencies > 0) by_turns.try_emplace({maps_[m].base, maps_[m].turns}, m);
  }
  for (const auto& [key, widest] : by_turns) {  // wider kernels come first
    if (maps_[widest].level > 0) continue;      // belongs to another family
    const auto [base, turns] = key;
    std::size_t levels = 1;
    for (std::size_t last = widest; levels < simd::kOctaves; ++levels) {
      const auto found = by_turns.find({base, std::ldexp(turns, static_cast<int>(levels))});
      if (found == by_turns.end()) break;
      maps_[last].narrower = found->second;
      last = found->second;
      maps_[last].level = levels;
      maps_[last].turns = turns;
    }
    for (std::size_t m = widest; m != kNone; m = maps_[m].narrower) {
      maps_[m].levels = levels;
      maps_[m].widest = widest;
    }
  }
}

void FeatureMaps::draw_frequencies(std::uint64_t seed, std::uint32_t repetition) {
  for (FrequencyBase& base : bases_) {
    base.values.resize(shape_.features * base.width());
    for (std::size_t k = 0; k < base.frequencies; ++k) {
      Stream stream({seed, Purpose::features, repetition, base.id, static_cast<std::uint32_t>(k)});
      for (std::size_t l = 0; l < shape_.features; ++l) {
        base.values[simd::place_in_base(shape_.features, l, k)] =
            finite_float(draw_frequency(base.kernel, stream));
      }
    }
  }
}

FeatureMaps::Workspace::Workspace(const FeatureMaps& maps)
    : features_(maps.maps_.size()),
      projections_(maps.bases_.size()),
      features_of_(maps.maps_.size(), 0),
      projection_of_(maps.bases_.size(), 0) {
  for (std::size_t b = 0; b < projections_.size(); ++b) {
    projections_[b].resize(maps.bases_[b].width());
  }
  for (std::size_t m = 0; m < features_.size(); ++m) {
    const Map& map = maps.maps_[m];
    // Plain linear features are the example itself and are not copied.
    if (!map.is_example()) features_[m].resize(map.dimension);
  }
}

void FeatureMaps::Workspace::begin(std::span<const float> x) {
  x_ = x;
  ++example_;
}

std::span<const float> FeatureMaps::features(std::size_t i, Workspace& workspace) const {
  const std::size_t index = map_of_[i];
  const Map& map = maps_[index];
  if (map.kind == SpaceKind::expert) return {};
  if (map.is_example()) return workspace.x_.first(shape_.features);
  if (map.offset > 0) return workspace.x_.subspan(map.offset, map.dimension);
  if (workspace.features_of_[index] != workspace.example_) {
    compute(map, index, workspace);
    workspace.features_of_[index] = workspace.example_;
  }
  return workspace.features_[index];
}

void FeatureMaps::compute(const Map& map, std::size_t index, Workspace& workspace) const {
  const auto x = workspace.x_.first(shape_.features);
  if (map.kind == SpaceKind::linear) {
    add_intercept(x, 1.0F, workspace.features_[index]);
    return;
  }
  AlignedVector<float>& projection = workspace.projections_[map.base];
  if (workspace.projection_of_[map.base] != workspace.example_) {
    const FrequencyBase& base = bases_[map.base];
    project(base.values, x.size(), base.width(), base.frequencies, std::array{x.data()},
            projection);
    workspace.projection_of_[map.base] = workspace.example_;
  }
  // Computes all maps that share its angles, since most of them will be requested too.
  simd::Wave wave{projection.data(), map.turns, {}};
  for (std::size_t m = map.widest; m != kNone; m = maps_[m].narrower) {
    const std::span<float> features = workspace.features_[m];
    if (maps_[m].leading > 0) {
      add_intercept(x, maps_[m].leading_factor, features.first(maps_[m].leading));
    }
    wave.out[maps_[m].level] = features.data() + maps_[m].leading;
    workspace.features_of_[m] = workspace.example_;
  }
  random_features(wave, map.levels, map.amplitude, map.frequencies);
}

void FeatureMaps::add_intercept(std::span<const float> x, float factor, std::span<float> out) {
  for (std::size_t k = 0; k < x.size(); ++k) out[k] = factor * x[k];
  out.back() = 1.0F;
}

void FeatureMaps::random_features(simd::Wave wave, std::size_t levels, float amplitude,
                                  std::size_t frequencies) {
  const std::span x(wave.x, frequencies);
  AlignedVector<float> tamed;
  if (!(magnitude(x) * wave.factor < kLargestPhase)) {
    tamed.assign(x.begin(), x.end());
    for (float& value : tamed) {
      if (!(std::abs(value * wave.factor) < kLargestPhase)) value = 0.0F;
    }
    wave.x = tamed.data();
  }
  scaled_sincos({&wave, 1}, levels, amplitude, frequencies);
}

double FeatureMaps::expert_forecast(std::size_t i, std::span<const float> x) const {
  const Space& space = spaces_[i];
  if (space.function) return static_cast<double>(space.function(x.first(shape_.features)));
  return static_cast<double>(x[shape_.features + space.expert]);
}

FeatureMaps FeatureMaps::ready() const {
  FeatureMaps maps = *this;
  std::size_t offset = shape_.features + shape_.experts;
  for (Map& map : maps.maps_) {
    if (map.is_example()) continue;
    map.offset = offset;
    offset += map.dimension;
  }
  return maps;
}

std::size_t FeatureMaps::example_size() const {
  std::size_t size = shape_.features + shape_.experts;
  for (const Map& map : maps_) {
    if (map.offset > 0) size = std::max(size, map.offset + map.dimension);
  }
  return size;
}

std::size_t FeatureMaps::expanded_size() const {
  std::size_t size = shape_.features + shape_.experts;
  for (const Map& map : maps_) size += map.is_example() ? 0 : map.dimension;
  return size;
}

void FeatureMaps::expand(Workspace& workspace, std::span<float> out) const {
  const auto x = workspace.x_.first(shape_.features + shape_.experts);
  auto place = std::copy(x.begin(), x.end(), out.begin());
  std::vector<bool> done(maps_.size(), false);
  for (std::size_t i = 0; i < size();
       ++i) {  // in the order of first use, which is the order of the maps
    if (done[map_of_[i]] || maps_[map_of_[i]].is_example()) continue;
    done[map_of_[i]] = true;
    const auto phi = features(i, workspace);
    place = std::copy(phi.begin(), phi.end(), place);
  }
}

bool FeatureMaps::same_features(const FeatureMaps& other) const {
  return shape_ == other.shape_ && map_of_ == other.map_of_ && maps_ == other.maps_ &&
         bases_ == other.bases_;
}

}  // namespace caucus
