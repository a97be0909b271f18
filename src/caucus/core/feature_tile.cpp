#include "caucus/core/feature_tile.hpp"

#include <algorithm>

#include "caucus/core/vector.hpp"

namespace caucus {

FeatureTile::FeatureTile(const FeatureMaps& maps)
    : maps_(&maps), last_of_map_(maps.maps_.size()), projections_(maps.bases_.size()) {}

void FeatureTile::clear() {
  jobs_.clear();
  for (const std::size_t base : touched_) projections_[base].examples.clear();
  touched_.clear();
  chunk_ = 0;
  used_ = 0;
}

float* FeatureTile::take(std::size_t floats) {
  constexpr std::size_t kChunk = 8192;
  while (chunk_ < chunks_.size() && used_ + floats > chunks_[chunk_].size()) {
    ++chunk_;
    used_ = 0;
  }
  if (chunk_ == chunks_.size()) chunks_.emplace_back(std::max(kChunk, floats));
  float* const taken = chunks_[chunk_].data() + used_;
  used_ += floats;
  return taken;
}

std::size_t FeatureTile::row_of(std::size_t base) {
  Projections& projections = projections_[base];
  if (projections.last_example != example_) {
    if (projections.examples.empty()) touched_.push_back(base);
    projections.examples.push_back(x_.data());
    projections.last_example = example_;
  }
  return projections.examples.size() - 1;
}

const float* FeatureTile::computed(std::size_t index, const FeatureMaps::Map& map) {
  if (map.dimension == 0) return nullptr;
  LastRequest& last = last_of_map_[index];
  if (last.example == example_) return last.features;
  float* const out = take(simd::padded(map.dimension));
  if (map.kind == SpaceKind::linear) {
    FeatureMaps::add_intercept(x_.first(map.dimension - 1), {out, map.dimension});
  } else {
    jobs_.push_back({&map, row_of(map.base), out});
  }
  last = {example_, out};
  return out;
}

void FeatureTile::compute() {
  for (const std::size_t base : touched_) project_examples(base);
  compute_waves();
}

void FeatureTile::project_examples(std::size_t b) {
  const FrequencyBase& base = maps_->bases_[b];
  Projections& projections = projections_[b];
  const std::size_t floats = projections.examples.size() * base.width();
  if (projections.rows.size() < floats) projections.rows.resize(floats);
  project(base.values, maps_->shape_.features, base.width(), projections.examples,
          projections.rows);
  projections.size = magnitude(std::span(projections.rows).first(floats));
}

void FeatureTile::compute_waves() {
  for (std::size_t first = 0; first < jobs_.size();) {  // as many as are of one kind
    const FeatureMaps::Map& kind = *jobs_[first].map;
    const std::size_t width = maps_->bases_[kind.base].width();
    const Projections& projections = projections_[kind.base];
    waves_.clear();
    float turns = 0.0F;
    std::size_t end = first;
    for (; end < jobs_.size(); ++end) {
      const auto& [map, row, out] = jobs_[end];
      if (map->base != kind.base || map->frequencies != kind.frequencies) break;
      turns = std::max(turns, map->turns);
      waves_.push_back(
          {projections.rows.data() + row * width, out, out + map->frequencies, map->turns});
    }
    if (projections.size * turns < kLargestPhase) {
      scaled_sincos(waves_, kind.amplitude, kind.frequencies);
    } else {
      for (std::size_t j = first; j < end; ++j) {
        const std::span row(waves_[j - first].x, width);
        FeatureMaps::random_features(*jobs_[j].map, row, magnitude(row),
                                     {jobs_[j].out, jobs_[j].map->dimension});
      }
    }
    first = end;
  }
}

}  // namespace caucus
