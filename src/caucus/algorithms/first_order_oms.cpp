#include "caucus/algorithms/first_order_oms.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "caucus/core/base/vector.hpp"
#include "caucus/core/mirror/region.hpp"

namespace caucus {

FirstOrderOms::FirstOrderOms(std::shared_ptr<const FirstOrderSettings> settings)
    : OmsServer(std::move(settings)), hedge_(models()), ends_of_(models(), 0) {
  const bool guarded = settings_->robust != Robust::none;
  for (std::size_t i = 0; i < models(); ++i) learners_.emplace_back(known_size(i), guarded);
}

double FirstOrderOms::known_size(std::size_t space) const {
  const bool square = std::holds_alternative<SquareLoss>(plan().loss.kind());
  const Space& of = plan().maps.space(space);
  return square && of.is_kernel() && !of.intercept ? 1.0 : 0.0;
}

void FirstOrderOms::step(const Batch&, const KeptReports& reports) {
  if (reports.reporters() == 0) return;
  hedge_.share(1.0 - departures_.stayed(reports.reporters()));
  step_models(reports);  // before p moves: P_i is that of the sampling
  if (models() == 1) return;
  hedge_.update(estimated_differences(reports));
  hedge_.share(settings_->fixed_share);
}

std::span<const double> FirstOrderOms::estimated_differences(const KeptReports& reports) {
  differences_.assign(models(), 0.0);
  for (const ReportBatch& batch : reports.batches()) {
    for (std::size_t n = 0; n < batch.size(); ++n) {
      const double share = reports.is_prompt() ? 1.0 : batch.share_of(n);
      for (std::size_t a = batch.begin_of(n); a < batch.ends[n]; ++a) {
        for (std::size_t b = a + 1; b < batch.ends[n]; ++b) {
          const double gap =
              share * (static_cast<double>(batch.losses[a]) - static_cast<double>(batch.losses[b]));
          const PairWeights weights = pair_weights_of(batch, a, b);
          differences_[batch.spaces[a]] += weights.second * gap;
          differences_[batch.spaces[b]] -= weights.first * gap;
        }
      }
    }
  }
  for (double& value : differences_) value /= static_cast<double>(reports.reporters());
  return differences_;
}

// Stage by stage for all models: sums, rates, moves.
void FirstOrderOms::step_models(const KeptReports& reports) {
  sort_by_space(reports);
  sums_.clear();
  gradients_.clear();
  for (std::size_t n = 0; n < touched_.size(); ++n) {
    sums_.push_back(sums_of(touched(n), reports.reporters()));
  }
  rates_.resize(sums_.size());
  for (std::size_t n = 0; n < sums_.size(); ++n) {
    rates_[n] = learners_[touched_[n]].next_rate(sums_[n]);
  }
  for (std::size_t n = 0; n < sums_.size(); ++n) {
    const std::uint32_t space = touched_[n];
    learners_[space].move(rates_[n], sums_[n].gradient, region_of(plan().maps.space(space)),
                          weights_[space]);
  }
  for (const std::uint32_t space : touched_) ends_of_[space] = 0;
}

void FirstOrderOms::sort_by_space(const KeptReports& reports) {
  const auto learns = [&](std::uint32_t space) { return plan().maps.dimension(space) > 0; };
  std::size_t count = 0;
  touched_.clear();
  for (const ReportBatch& batch : reports.batches()) {
    for (const std::uint32_t space : batch.spaces) {
      if (!learns(space)) continue;
      if (ends_of_[space]++ == 0) touched_.push_back(space);
      ++count;
    }
  }
  std::uint32_t begin = 0;
  for (const std::uint32_t space : touched_) {  // each begins where the one before ends
    const std::uint32_t of_space = ends_of_[space];
    ends_of_[space] = begin;
    begin += of_space;
  }
  sorted_gradients_.resize(count);
  sorted_losses_.resize(count);
  sorted_examples_.resize(count);
  sorted_scales_.resize(reports.is_prompt() ? 0 : count);
  for (const ReportBatch& batch : reports.batches()) {
    for (std::size_t n = 0; n < batch.size(); ++n) {
      const double share = reports.is_prompt() ? 1.0 : batch.share_of(n);
      for (std::size_t m = batch.begin_of(n); m < batch.ends[n]; ++m) {
        if (!learns(batch.spaces[m])) continue;
        const std::uint32_t place = ends_of_[batch.spaces[m]]++;
        sorted_gradients_[place].x = batch.directions[m];
        sorted_gradients_[place].factor = batch.factors[m];
        sorted_losses_[place] = batch.losses[m];
        sorted_examples_[place] = batch.examples[n];
        if (!reports.is_prompt()) sorted_scales_[place] = share * correction(batch, m);
      }
    }
  }
}

RoundSums FirstOrderOms::sums_of(const Touched& touched, std::size_t reporters) {
  const std::size_t size = weights_[touched.space].size();
  const std::span gradient(gradients_.take(size), size);
  RoundSums sums;
  sums.reporters = reporters;
  sums.inclusion = inclusion(touched.space);
  squares_.resize(touched.losses.size());
  sums.gradient = gradient;
  sums.squared_sum = sum_and_measure(touched.scales.empty() ? touched.gradients : scaled(touched),
                                     gradient, squares_);
  for (std::size_t n = 0; n < squares_.size(); ++n) {
    const double scale = touched.scale(n);
    sums.holders += scale;
    sums.losses += scale * static_cast<double>(touched.losses[n]);
    sums.squared_gradients += squares_[n] / scale;  // the square has the scale twice
    const double loss = scale * scale * static_cast<double>(touched.losses[n]);
    if (loss > 0.0) sums.largest_size = std::max(sums.largest_size, squares_[n] / (4.0 * loss));
  }
  sums.examples = touched.examples.front();
  return sums;
}

PairWeights FirstOrderOms::pair_weights_of(const ReportBatch& reports, std::size_t a,
                                           std::size_t b) const {
  const std::uint32_t i = reports.spaces[a];
  const std::uint32_t k = reports.spaces[b];
  if (!reports.is_late(a)) return pair_weights(probabilities(), i, k, sample_size());
  return late_pair_weights(probabilities(), i, k, sample_size(), reports.sampled_with[a],
                           reports.sampled_with[b]);
}

std::span<const simd::Term> FirstOrderOms::scaled(const Touched& touched) {
  const std::size_t size = weights_[touched.space].size();
  scaled_.clear();
  for (std::size_t n = 0; n < touched.gradients.size(); ++n) {
    const simd::Term& gradient = touched.gradients[n];
    float* const product = gradients_.take(size);
    for (std::size_t k = 0; k < size; ++k) {
      const float g = gradient.factor * gradient.x[k];
      product[k] = static_cast<float>(touched.scales[n] * static_cast<double>(g));
    }
    simd::Term& term = scaled_.emplace_back();
    term.x = product;
    term.factor = 1.0F;
  }
  return scaled_;
}

/// The first bytes, with the version of the layout.
constexpr std::string_view kFirstOrderState = "first-order-oms 1";

void FirstOrderOms::save(StateWriter& to) const {
  to.text(kFirstOrderState);
  hedge_.save(to);
  weights_.save(to);
  departures_.save(to);
  for (const FirstOrderModel& learner : learners_) learner.save(to);
}

Status FirstOrderOms::restore(StateReader& from) {
  from.expect(kFirstOrderState);
  CAUCUS_CHECK(hedge_.restore(from));
  CAUCUS_CHECK(weights_.restore(from, plan().maps));
  CAUCUS_CHECK(departures_.restore(from));
  for (FirstOrderModel& learner : learners_) CAUCUS_CHECK(learner.restore(from));
  return from.status();
}

}  // namespace caucus
