#include "caucus/core/feature_tile.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "caucus/core/vector.hpp"

namespace caucus {

FeatureTile::FeatureTile(const FeatureMaps& maps)
    : maps_(&maps), projections_(maps.bases_.size()) {
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> known;  // base, frequencies
  std::map<std::tuple<std::size_t, float, bool>, std::size_t> known_turns;
  for (const FeatureMaps::Map& map : maps.maps_) {
    Recipe recipe{&map, 0, recipes_.size()};
    if (map.frequencies > 0) {
      const auto [found, is_new] = known.try_emplace({map.base, map.frequencies}, waves_.size());
      if (is_new) waves_.push_back({map.base, map.frequencies, map.amplitude, 0.0F, {}});
      Waves& waves = waves_[found->second];
      waves.turns = std::max(waves.turns, map.turns);
      recipe.waves = found->second;
      known_turns[{recipe.waves, map.turns, map.doubled}] = recipes_.size();
    }
    recipes_.push_back(recipe);
  }
  for (Recipe& recipe : recipes_) {  // turns that differ by the doubling alone
    const auto other = known_turns.find({recipe.waves, recipe.map->turns, !recipe.map->doubled});
    if (recipe.map->frequencies > 0 && other != known_turns.end()) recipe.partner = other->second;
  }
}

float* FeatureTile::compute_later(Recipe& recipe) {
  const FeatureMaps::Map& map = *recipe.map;
  float* const out = take(simd::padded(map.dimension));
  if (map.kind == SpaceKind::linear) {
    FeatureMaps::add_intercept(x_.first(map.dimension - 1), {out, map.dimension});
    return out;
  }
  Waves& waves = waves_[recipe.waves];
  const Recipe& partner = recipes_[recipe.partner];
  if (partner.example == example_) {
    simd::Wave& wave = waves.wanted[partner.wave];
    (map.doubled ? wave.twice : wave.once) = out;
    return out;
  }
  recipe.wave = waves.wanted.size();
  if (recipe.wave == 0) touched_waves_.push_back(recipe.waves);
  waves.wanted.push_back({row_of(map.base), map.doubled ? nullptr : out,
                          map.doubled ? out : nullptr, map.turns});
  return out;
}

void FeatureTile::clear() {
  for (const std::size_t base : touched_) projections_[base].examples.clear();
  touched_.clear();
  chunk_ = 0;
  next_ = nullptr;
  end_ = nullptr;
}

void FeatureTile::touch(std::size_t base) {
  touched_.push_back(base);
  projections_[base].rows.resize(kExamples * maps_->bases_[base].width());
}

void FeatureTile::next_chunk(std::size_t floats) {
  constexpr std::size_t kChunk = 8192;
  while (chunk_ < chunks_.size() && chunks_[chunk_].size() < floats) ++chunk_;
  if (chunk_ == chunks_.size()) chunks_.emplace_back(std::max(kChunk, floats));
  next_ = chunks_[chunk_].data();
  end_ = next_ + chunks_[chunk_].size();
  ++chunk_;
}

void FeatureTile::compute() {
  for (const std::size_t b : touched_) {
    const FrequencyBase& base = maps_->bases_[b];
    project(base.values, maps_->shape_.features, base.width(), projections_[b].examples,
            projections_[b].rows);
  }
  for (const std::size_t w : touched_waves_) compute(waves_[w]);
  touched_waves_.clear();
}

void FeatureTile::compute(Waves& waves) {
  const std::size_t width = maps_->bases_[waves.base].width();
  const Projections& projections = projections_[waves.base];
  const float size =
      magnitude(std::span(projections.rows).first(projections.examples.size() * width));
  if (size * waves.turns < kLargestPhase) {
    scaled_sincos(waves.wanted, waves.amplitude, waves.frequencies);
  } else {
    for (const simd::Wave& wave : waves.wanted) {
      FeatureMaps::random_features(wave, waves.amplitude, waves.frequencies);
    }
  }
  waves.wanted.clear();
}

}  // namespace caucus
