// What AdaptiveOms does with late reports, and with those of one client that come in parts.
#include <algorithm>
#include <limits>

#include "caucus/algorithms/adaptive_oms.hpp"
#include "caucus/core/base/vector.hpp"

namespace caucus {

void AdaptiveOms::aggregate(std::span<const Report> parts, AdaptiveAggregate& into) const {
  ++into.reporters_;
  for (const Report& part : parts) {
    const double share = share_of(part, parts);
    const std::size_t before = into.gradients_.size();
    with_tile_of_one(part, [&](const TileReports& reports) { append(reports, into); });
    const auto elsewhere = [](const HeldReport& held) { return !held.taken_at.empty(); };
    if (share == 1.0 && part.sampled_with.empty() &&
        std::none_of(part.held.begin(), part.held.end(), elsewhere)) {
      continue;
    }
    auto& late = into.late_.emplace_back();
    late.report = into.examples_.size() - 1;
    late.share = share;
    late.sampled_with.assign(part.sampled_with.begin(), part.sampled_with.end());
    late.slopes.assign(part.held.size(), std::numeric_limits<double>::quiet_NaN());
    for (std::size_t a = 0; a < part.held.size(); ++a) {
      const std::span<const float> w = part.held[a].taken_at;
      if (!w.empty()) late.slopes[a] = dot({into.gradients_[before + a].x, w.size()}, w);
    }
  }
}

void AdaptiveOms::sort_late(const AdaptiveAggregate& aggregate) {
  sorted_scales_.clear();
  sorted_slopes_.clear();
  if (aggregate.late_.empty()) return;
  const std::size_t J = sampled();
  sorted_scales_.assign(aggregate.spaces_.size(), 1.0);
  sorted_slopes_.assign(aggregate.spaces_.size(), std::numeric_limits<double>::quiet_NaN());
  std::vector<std::uint32_t> places(models(), 0);
  for (std::size_t n = 1; n < touched_.size(); ++n) {
    places[touched_[n]] = ends_of_[touched_[n - 1]];
  }
  auto late = aggregate.late_.begin();
  for (std::size_t j = 0; late != aggregate.late_.end(); ++j) {
    const bool is_late = late->report == j;
    for (std::size_t a = 0; a < J; ++a) {
      const std::uint32_t space = aggregate.spaces_[j * J + a];
      const std::uint32_t place = places[space]++;
      if (!is_late) continue;
      double scale = late->share;
      if (!late->sampled_with.empty()) {
        scale *= inclusion(space) / inclusion_probability(late->sampled_with[a], models(), J);
      }
      sorted_scales_[place] = scale;
      sorted_slopes_[place] = late->slopes[a];
    }
    if (is_late) ++late;
  }
}

std::span<const simd::Term> AdaptiveOms::scaled(const Touched& touched) {
  const std::size_t size = weights_[touched.space].size();
  scaled_.clear();
  for (std::size_t n = 0; n < touched.gradients.size(); ++n) {
    const std::span<const float> gradient = written(touched.gradients[n], size);
    float* const product = gradients_.take(size);
    for (std::size_t k = 0; k < size; ++k) {
      product[k] = static_cast<float>(touched.scales[n] * static_cast<double>(gradient[k]));
    }
    simd::Term& term = scaled_.emplace_back();
    term.x = product;
    term.factor = 1.0F;
  }
  return scaled_;
}

}  // namespace caucus
