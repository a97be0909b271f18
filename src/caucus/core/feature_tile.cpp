#include "caucus/core/feature_tile.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "caucus/core/vector.hpp"

namespace caucus {

FeatureTile::FeatureTile(const FeatureMaps& maps)
    : maps_(&maps), last_of_map_(maps.maps_.size()), projections_(maps.bases_.size()) {
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> known;  // base, frequencies
  for (const FeatureMaps::Map& map : maps.maps_) {
    const auto [found, is_new] = known.try_emplace({map.base, map.frequencies}, waves_.size());
    if (is_new) waves_.push_back({map.base, map.frequencies, map.amplitude, 0.0F, {}});
    Waves& waves = waves_[found->second];
    waves.turns = std::max(waves.turns, map.turns);
    waves_of_map_.push_back(found->second);
  }
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
      FeatureMaps::random_features({wave.x, waves.frequencies}, wave.factor, waves.amplitude,
                                   {wave.cosine, 2 * waves.frequencies});
    }
  }
  waves.wanted.clear();
}

}  // namespace caucus
