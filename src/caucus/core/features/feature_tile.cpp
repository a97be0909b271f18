#include "caucus/core/features/feature_tile.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "caucus/core/base/vector.hpp"

namespace caucus {

FeatureTile::FeatureTile(const FeatureMaps& maps)
    : maps_(&maps), projections_(maps.bases_.size()), requests_(maps.maps_.size()) {
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> known;  // base, levels
  for (std::size_t m = 0; m < requests_.size(); ++m) {
    const FeatureMaps::Map& map = maps.maps_[m];
    if (map.frequencies == 0) continue;
    const auto [found, is_new] = known.try_emplace({map.base, map.levels}, waves_.size());
    if (is_new) waves_.push_back({map, 0.0F, {}});
    requests_[m].waves = found->second;
    waves_[found->second].turns = std::max(waves_[found->second].turns, map.turns);
  }
}

inline const float* FeatureTile::row_of(std::size_t base, const float* x) {
  Projections& projections = projections_[base];
  if (projections.last_example != example_) {
    projections.last_example = example_;
    const std::size_t width = maps_->bases_[base].width();
    if (projections.examples.empty()) {
      touched_bases_.push_back(base);
      projections.rows.resize(kExamples * width);
    }
    projections.last_row = projections.rows.data() + projections.examples.size() * width;
    projections.examples.push_back(x);
  }
  return projections.last_row;
}

inline const float* FeatureTile::request(std::size_t space, const float* x, FloatArena& memory) {
  const std::size_t index = maps_->map_of_[space];
  const FeatureMaps::Map& map = maps_->maps_[index];
  if (map.is_example() || map.offset > 0 || map.dimension == 0) return x + map.offset;
  Requests& last = requests_[index];
  if (last.example == example_) return last.features;  // for another space
  last.example = example_;
  float* const out = memory.take(map.dimension);
  last.features = out;
  if (map.kind == SpaceKind::linear) {
    FeatureMaps::add_intercept({x, map.dimension - 1}, 1.0F, {out, map.dimension});
    return out;
  }
  if (map.leading > 0) {
    FeatureMaps::add_intercept({x, map.leading - 1}, map.leading_factor, {out, map.leading});
  }
  float* const waves = out + map.leading;
  std::vector<simd::Wave>& wanted = waves_[last.waves].wanted;
  Requests& family = requests_[map.widest];
  if (family.wave_example != example_) {
    family.wave_example = example_;
    family.wave = wanted.size();
    if (wanted.empty()) touched_waves_.push_back(last.waves);
    wanted.push_back({row_of(map.base, x), map.turns, {waves}});
    if (map.levels == 1) return out;
    // Levels that are not requested are written to the same memory, one after another.
    std::fill_n(wanted.back().out, map.levels, memory.take(map.dimension));
  }
  wanted[family.wave].out[map.level] = waves;
  return out;
}

void FeatureTile::compute_pairs(const Pairs& pairs, FloatArena& memory) {
  compute_features(pairs, memory);
  multiply(pairs);
}

void FeatureTile::compute_features(const Pairs& pairs, FloatArena& memory) {
  const std::uint32_t* space = pairs.spaces;
  const float** features = pairs.features;
  for (std::size_t e = 0; e < pairs.count; ++e) {
    ++example_;
    for (std::size_t a = 0; a < pairs.J; ++a) {
      *features++ = request(*space++, pairs.examples[e], memory);
    }
  }
  compute();
}

void FeatureTile::compute() {
  for (const std::size_t b : touched_bases_) {
    const FrequencyBase& base = maps_->bases_[b];
    Projections& projections = projections_[b];
    projections.largest = project(base.values, maps_->shape_.features, base.width(),
                                  base.frequencies, projections.examples, projections.rows);
    projections.examples.clear();
  }
  touched_bases_.clear();
  for (const std::size_t w : touched_waves_) compute(waves_[w]);
  touched_waves_.clear();
}

void FeatureTile::compute(Waves& waves) const {
  const FeatureMaps::Map& map = waves.map;
  if (projections_[map.base].largest * waves.turns < kLargestPhase) {
    scaled_sincos(waves.wanted, map.levels, map.amplitude, map.frequencies);
  } else {
    for (const simd::Wave& wave : waves.wanted) {
      FeatureMaps::random_features(wave, map.levels, map.amplitude, map.frequencies);
    }
  }
  waves.wanted.clear();
}

/// Computes the products of consecutive features of one size together.
void FeatureTile::multiply(const Pairs& pairs) const {
  const std::size_t count = pairs.count * pairs.J;
  const auto size_of = [&](std::size_t p) { return maps_->dimension(pairs.spaces[p]); };
  for (std::size_t p = 0; p < count;) {
    const std::size_t size = size_of(p);
    std::size_t end = p + 1;
    while (end < count && size_of(end) == size) ++end;
    if (size > 0) {
      dots({pairs.models + p, end - p}, {pairs.features + p, end - p}, size,
           {pairs.products + p, end - p});
    }
    p = end;
  }
}

}  // namespace caucus
