#include "caucus/algorithms/model_set.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>

namespace caucus {

ModelSet::ModelSet(const FeatureMaps& maps) {
  for (std::size_t i = 0; i < maps.size(); ++i) begin_.push_back(begin_.back() + maps.dimension(i));
  values_.assign(begin_.back(), 0.0F);
}

void ModelSet::lend(std::vector<HeldModel>& into) const {
  into.clear();
  for (std::size_t i = 0; i < size(); ++i) {
    into.push_back({static_cast<std::uint32_t>(i), (*this)[i]});
  }
}

std::vector<std::vector<float>> ModelSet::copy() const {
  std::vector<std::vector<float>> models;
  for (std::size_t i = 0; i < size(); ++i)
    models.emplace_back((*this)[i].begin(), (*this)[i].end());
  return models;
}

std::size_t largest_dimensions(const FeatureMaps& maps, std::size_t count) {
  std::vector<std::size_t> dimensions;
  for (std::size_t i = 0; i < maps.size(); ++i) dimensions.push_back(maps.dimension(i));
  std::sort(dimensions.begin(), dimensions.end(), std::greater<>());
  dimensions.resize(std::min(count, dimensions.size()));
  return std::accumulate(dimensions.begin(), dimensions.end(), std::size_t{0});
}

}  // namespace caucus
