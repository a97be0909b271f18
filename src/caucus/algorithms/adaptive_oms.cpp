#include "caucus/algorithms/adaptive_oms.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "caucus/core/base/vector.hpp"

namespace caucus {

std::vector<bool> affordable_second_order(const Plan& plan, std::size_t copies) {
  constexpr std::size_t kLargestDimension = 500;
  constexpr double kBudget = 2e9;
  const bool curved = !std::holds_alternative<LinearLoss>(plan.loss.kind());
  std::vector<bool> affordable;
  double bytes = 0.0;
  for (std::size_t i = 0; i < plan.maps.size(); ++i) {
    const std::size_t d = plan.maps.dimension(i);
    const bool small = curved && d > 0 && d <= kLargestDimension && !plan.maps.space(i).own_step;
    if (small) {
      bytes += static_cast<double>(SymmetricMatrix::bytes(d)) * static_cast<double>(copies);
    }
    affordable.push_back(small);
  }
  if (bytes > kBudget) affordable.assign(plan.maps.size(), false);
  return affordable;
}

AdaptiveOms::AdaptiveOms(std::shared_ptr<const AdaptiveSettings> settings)
    : OmsServer(std::move(settings)),
      hedge_(models()),
      remembered_of_(models(), 1.0),
      last_batch_(models(), 0),
      ends_of_(models(), 0) {
  const FeatureMaps& maps = plan().maps;
  for (std::size_t i = 0; i < maps.size(); ++i) {
    if (maps.dimension(i) == 0) {
      learners_.emplace_back();
    } else if (settings_->second_order[i]) {
      learners_.emplace_back(SecondOrderModel(maps.dimension(i), known_size(i)));
    } else {
      learners_.emplace_back(FirstOrderModel(known_size(i)));
    }
  }
}

double AdaptiveOms::known_size(std::size_t space) const {
  const bool square = std::holds_alternative<SquareLoss>(plan().loss.kind());
  return square && plan().maps.space(space).is_kernel() ? 1.0 : 0.0;
}

void AdaptiveOms::step(const Batch&, const KeptReports& reports) {
  if (reports.reporters() == 0) return;
  ++batches_;
  forget_departed(departures_.stayed(reports.reporters()));
  step_models(reports);  // before p moves: P_i is that of the sampling
  if (models() == 1) return;
  hedge_.update(estimated_differences(reports));
  hedge_.share(settings_->fixed_share);
}

// A and b are sums over all clients, so the part of clients that left cannot be taken out of them;
// the whole sums count less. The cube did best of the powers tried (docs/adaptive.md). However
// often clients leave, the product stays above (last / first number of clients)^3.
void AdaptiveOms::forget_departed(double stayed) {
  remembered_ *= stayed * stayed * stayed;
  hedge_.share(1.0 - stayed);
}

std::span<const double> AdaptiveOms::estimated_differences(const KeptReports& reports) {
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

void AdaptiveOms::step_models(const KeptReports& reports) {
  sort_by_space(reports);
  for (std::size_t n = 0; n < touched_.size(); ++n) {
    if (auto* second = std::get_if<SecondOrderModel>(&learners_[touched_[n]])) {
      step_second_order(touched(n), *second);
    }
  }
  step_first_order(reports.reporters());
  for (const std::uint32_t space : touched_) ends_of_[space] = 0;
}

void AdaptiveOms::sort_by_space(const KeptReports& reports) {
  std::size_t count = 0;
  touched_.clear();
  for (const ReportBatch& batch : reports.batches()) {
    for (const std::uint32_t space : batch.spaces) {
      if (ends_of_[space]++ == 0) touched_.push_back(space);
    }
    count += batch.spaces.size();
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
  sorted_slopes_.resize(reports.is_prompt() ? 0 : count);
  for (const ReportBatch& batch : reports.batches()) {
    for (std::size_t n = 0; n < batch.size(); ++n) {
      const double share = reports.is_prompt() ? 1.0 : batch.share_of(n);
      for (std::size_t m = batch.begin_of(n); m < batch.ends[n]; ++m) {
        const std::uint32_t place = ends_of_[batch.spaces[m]]++;
        sorted_gradients_[place].x = batch.directions[m];
        sorted_gradients_[place].factor = batch.factors[m];
        sorted_losses_[place] = batch.losses[m];
        sorted_examples_[place] = batch.examples[n];
        if (reports.is_prompt()) continue;
        sorted_scales_[place] = share * correction(batch, m);
        sorted_slopes_[place] = slope_of(batch, m);
      }
    }
  }
}

void AdaptiveOms::forget(const Touched& touched, SecondOrderModel& model) {
  double losses = 0.0;
  double holders = 0.0;
  for (std::size_t n = 0; n < touched.losses.size(); ++n) {
    losses += touched.scale(n) * static_cast<double>(touched.losses[n]);
    holders += touched.scale(n);
  }
  model.forget(settings_->fixed_share, batches_ - last_batch_[touched.space], losses / holders);
  last_batch_[touched.space] = batches_;
}

void AdaptiveOms::step_second_order(const Touched& touched, SecondOrderModel& model) {
  const std::uint32_t space = touched.space;
  const std::span<float> w = weights_[space];
  const double weight = 1.0 / inclusion(space);
  model.fade(remembered_ / remembered_of_[space]);
  remembered_of_[space] = remembered_;
  if (settings_->fixed_share > 0.0) forget(touched, model);
  for (std::size_t n = 0; n < touched.losses.size(); ++n) observe(touched, n, weight, model);
  // A model that is hardly ever played is solved less often, in one step.
  constexpr double kUnlikely = 1e-6;
  constexpr std::size_t kReports = 16;
  const bool unlikely = probabilities()[space] < kUnlikely;
  if (unlikely && model.unsolved() < kReports) return;
  model.solve(plan().maps.space(space).region(), w, unlikely ? 1 : 2);
}

void AdaptiveOms::observe(const Touched& touched, std::size_t n, double weight,
                          SecondOrderModel& model) {
  const std::span<const float> w = weights(touched.space);
  const std::span<const float> gradient = written(touched.gradients[n], w.size());
  const bool elsewhere = !touched.slopes.empty() && !std::isnan(touched.slopes[n]);
  model.observe(static_cast<double>(touched.losses[n]), gradient, weight * touched.scale(n),
                elsewhere ? touched.slopes[n] : dot(gradient, w), touched.examples[n]);
}

std::span<const float> AdaptiveOms::written(const simd::Term& gradient, std::size_t dimension) {
  if (gradient.factor == 1.0F) return {gradient.x, dimension};
  gradient_.resize(dimension);
  write_product(gradient_, gradient.factor, {gradient.x, dimension});
  return gradient_;
}

/// Steps all of them stage by stage: sums, rates, moves.
void AdaptiveOms::step_first_order(std::size_t reporters) {
  sums_.clear();
  first_order_.clear();
  gradients_.clear();
  for (std::size_t n = 0; n < touched_.size(); ++n) {
    if (!std::holds_alternative<FirstOrderModel>(learners_[touched_[n]])) continue;
    first_order_.push_back(touched_[n]);
    sums_.push_back(sums_of(touched(n), reporters));
  }
  rates_.resize(sums_.size());
  for (std::size_t n = 0; n < sums_.size(); ++n) {
    rates_[n] = std::get<FirstOrderModel>(learners_[first_order_[n]]).next_rate(sums_[n]);
  }
  for (std::size_t n = 0; n < sums_.size(); ++n) {
    const std::uint32_t space = first_order_[n];
    std::get<FirstOrderModel>(learners_[space])
        .move(rates_[n], sums_[n].gradient, plan().maps.space(space).region(), weights_[space]);
  }
}

RoundSums AdaptiveOms::sums_of(const Touched& touched, std::size_t reporters) {
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
  }
  sums.examples = touched.examples.front();
  return sums;
}

// --- late reports, and those of one client that come in parts ---

PairWeights AdaptiveOms::pair_weights_of(const ReportBatch& reports, std::size_t a,
                                         std::size_t b) const {
  const std::uint32_t i = reports.spaces[a];
  const std::uint32_t k = reports.spaces[b];
  if (!reports.is_late(a)) return pair_weights(probabilities(), i, k, sample_size());
  return late_pair_weights(probabilities(), i, k, sample_size(), reports.sampled_with[a],
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
