#include "caucus/core/feature_tile.hpp"

#include <algorithm>

#include "caucus/core/vector.hpp"

namespace caucus {

FeatureTile::FeatureTile(const FeatureMaps& maps)
    : maps_(&maps), last_of_map_(maps.maps_.size()), projections_(maps.bases_.size()) {}

void FeatureTile::clear() {
  requests_.clear();
  jobs_.clear();
  for (const std::size_t base : touched_) projections_[base].examples.clear();
  touched_.clear();
  used_ = 0;
}

void FeatureTile::begin_example(std::span<const float> x) {
  x_ = x;
  ++example_;
}

std::size_t FeatureTile::row_of(std::size_t base) {
  Projections& projections = projections_[base];
  if (projections.last_example != example_ || projections.examples.empty()) {
    if (projections.examples.empty()) touched_.push_back(base);
    projections.examples.push_back(x_.data());
    projections.last_example = example_;
  }
  return projections.examples.size() - 1;
}

std::size_t FeatureTile::request(std::size_t space) {
  const std::size_t index = maps_->map_of_[space];
  LastRequest& last = last_of_map_[index];
  if (last.example == example_) return last.request;
  const FeatureMaps::Map& map = maps_->maps_[index];
  Request asked{nullptr, map.dimension, 0};
  if (map.is_example()) {
    asked.ready = x_.data();
  } else if (map.offset > 0) {
    asked.ready = x_.data() + map.offset;
  } else if (map.dimension > 0) {
    asked.offset = used_;
    used_ += simd::padded(map.dimension);
    if (used_ > features_.size()) features_.resize(2 * used_);
    if (map.kind == SpaceKind::linear) {
      const auto out = std::span(features_).subspan(asked.offset, map.dimension);
      FeatureMaps::add_intercept(x_.first(map.dimension - 1), out);
    } else {
      jobs_.push_back({index, row_of(map.base), asked.offset});
    }
  }
  last = {example_, requests_.size()};
  requests_.push_back(asked);
  return last.request;
}

void FeatureTile::compute() {
  for (const std::size_t b : touched_) {
    const FrequencyBase& base = maps_->bases_[b];
    Projections& projections = projections_[b];
    const std::size_t needed = projections.examples.size() * base.width();
    if (projections.rows.size() < needed) projections.rows.resize(needed);
    project(base.values, maps_->shape_.features, base.width(), projections.examples,
            projections.rows);
    projections.sizes.clear();
    for (std::size_t row = 0; row < projections.examples.size(); ++row) {
      projections.sizes.push_back(
          magnitude(std::span(projections.rows).subspan(row * base.width(), base.width())));
    }
  }
  for (const Job& job : jobs_) {
    const FeatureMaps::Map& map = maps_->maps_[job.map];
    const std::size_t width = maps_->bases_[map.base].width();
    FeatureMaps::random_features(
        map, std::span(projections_[map.base].rows).subspan(job.row * width, width),
        projections_[map.base].sizes[job.row],
        std::span(features_).subspan(job.offset, map.dimension));
  }
}

}  // namespace caucus
