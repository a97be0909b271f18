// What AdaptiveOms does with late reports, and with those of one client that come in parts.
#include <limits>

#include "caucus/algorithms/adaptive_oms.hpp"
#include "caucus/core/base/vector.hpp"

namespace caucus {

double AdaptiveOms::correction(const ReportBatch& reports, std::size_t model) const {
  if (!reports.is_late(model)) return 1.0;
  return inclusion(reports.spaces[model]) /
         inclusion_probability(reports.sampled_with[model], models(), sampled());
}

PairWeights AdaptiveOms::pair_weights_of(const ReportBatch& reports, std::size_t a,
                                         std::size_t b) const {
  const std::uint32_t i = reports.spaces[a];
  const std::uint32_t k = reports.spaces[b];
  if (!reports.is_late(a)) return pair_weights(probabilities(), i, k, sampled());
  return late_pair_weights(probabilities(), i, k, sampled(), reports.sampled_with[a],
                           reports.sampled_with[b]);
}

double AdaptiveOms::slope_of(const ReportBatch& reports, std::size_t model) {
  const SharedWeights taken_at = reports.is_late(model) ? reports.taken_at[model] : nullptr;
  if (!taken_at) return std::numeric_limits<double>::quiet_NaN();
  return dot(written({reports.directions[model], reports.factors[model]}, taken_at->size()),
             *taken_at);
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
