#include "caucus/core/features/model_weights.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "caucus/core/base/vector.hpp"
#include "caucus/core/mirror/region.hpp"

namespace caucus {
namespace {

/// Checks the region of each output up to the rounding error of a projection.
bool lies_in(const Region& region, std::span<const float> all, std::size_t outputs) {
  if (region.own_step != nullptr) return true;
  const std::span<const float> w = all.last(all.size() / outputs);
  if (outputs > 1 && !lies_in(region, all.first(all.size() - w.size()), outputs - 1)) return false;
  const double most = region.radius * (1.0 + 1e-5) + 1e-30;
  if (region.constraint == Constraint::ball) return std::sqrt(squared_norm(w)) <= most;
  const double side = most / std::sqrt(static_cast<double>(w.size()));
  return std::all_of(w.begin(), w.end(),
                     [&](float value) { return std::abs(static_cast<double>(value)) <= side; });
}

}  // namespace

void ModelWeights::save(StateWriter& to) const {
  for (std::size_t i = 0; i < places_.size(); ++i) to.numbers((*this)[i]);
}

Status ModelWeights::restore(StateReader& from, const FeatureMaps& maps) {
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const std::span<float> w = (*this)[i];
    from.numbers(w);
    CAUCUS_CHECK(from.status());
    if (!all_finite(w) || (!w.empty() && !lies_in(region_of(maps.space(i)), w, outputs_))) {
      return from.refuse("the weights of model " + std::to_string(i),
                         "expected finite numbers within its radius");
    }
  }
  return Done{};
}

}  // namespace caucus
