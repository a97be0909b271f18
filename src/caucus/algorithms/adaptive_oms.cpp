#include "caucus/algorithms/adaptive_oms.hpp"

#include <algorithm>
#include <cmath>
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

void AdaptiveAggregate::clear() {
  reporters_ = 0;
  prompt_ = true;
  used_ = 0;
}

AdaptiveOms::AdaptiveOms(std::shared_ptr<const AdaptiveSettings> settings)
    : settings_(std::move(settings)),
      hedge_(settings_->plan->maps.size()),
      weights_(settings_->plan->maps),
      sampler_({settings_->seed, Purpose::sampling, settings_->repetition},
               hedge_.probabilities().size(), settings_->sampled),
      remembered_of_(hedge_.probabilities().size(), 1.0),
      last_batch_(hedge_.probabilities().size(), 0),
      ends_of_(hedge_.probabilities().size(), 0) {
  const FeatureMaps& maps = settings_->plan->maps;
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
  const Plan& plan = *settings_->plan;
  const bool square = std::holds_alternative<SquareLoss>(plan.loss.kind());
  return square && plan.maps.space(space).is_kernel() ? 1.0 : 0.0;
}

void AdaptiveOms::assign(const Batch& batch, std::uint32_t client, Assignment& into) {
  const auto drawn = sampler_.draw(probabilities(), batch.number, client);
  shares_.resize(drawn.size());
  probabilities().shares(drawn, shares_);
  into.client = client;
  into.held.resize(drawn.size());
  for (std::size_t a = 0; a < drawn.size(); ++a) {
    into.held[a] = {drawn[a], weights(drawn[a]), shares_[a]};
  }
}

void AdaptiveOms::assign(const Batch& batch, std::uint32_t first_client, std::size_t clients,
                         ClientSampler& sampler, const HeldPlaces& into) const {
  const std::size_t J = sampled();
  sampler.draw(probabilities(), batch.number, first_client, clients, into.spaces);
  weights_.rows({into.spaces, clients * J}, into.weights);
  for (std::size_t c = 0; c < clients; ++c) {
    probabilities().shares({into.spaces + c * J, J}, {into.shares + c * J, J});
  }
}

void AdaptiveOms::aggregate(ReportBatch& reports, AdaptiveAggregate& into) const {
  into.reporters_ += reports.reporters();
  into.prompt_ = into.prompt_ && reports.is_prompt();
  if (into.used_ == into.batches_.size()) into.batches_.emplace_back();
  std::swap(into.batches_[into.used_++], reports);
  reports.clear();
}

void AdaptiveOms::step(const Batch&, const AdaptiveAggregate& aggregate) {
  if (aggregate.reporters_ == 0) return;
  ++batches_;
  forget_departed(departures_.stayed(aggregate.reporters_));
  step_models(aggregate);  // before p moves: P_i is that of the time of sampling
  if (models() == 1) return;
  hedge_.update(estimated_differences(aggregate));
  hedge_.share(settings_->fixed_share);
}

// A and b are sums over all clients, so what came from those that left cannot be taken out of them;
// all of it counts less. The cube did best of the powers tried (docs/adaptive.md). However often
// clients leave, the product stays above (last / first number of clients)^3.
void AdaptiveOms::forget_departed(double stayed) {
  remembered_ *= stayed * stayed * stayed;
  hedge_.share(1.0 - stayed);
}

std::span<const double> AdaptiveOms::estimated_differences(const AdaptiveAggregate& aggregate) {
  differences_.assign(models(), 0.0);
  for (const ReportBatch& reports : aggregate.batches()) {
    for (std::size_t n = 0; n < reports.size(); ++n) {
      const double share = aggregate.prompt_ ? 1.0 : reports.share_of(n);
      for (std::size_t a = reports.begin_of(n); a < reports.ends[n]; ++a) {
        for (std::size_t b = a + 1; b < reports.ends[n]; ++b) {
          const double gap = share * (static_cast<double>(reports.losses[a]) -
                                      static_cast<double>(reports.losses[b]));
          const PairWeights weights = pair_weights_of(reports, a, b);
          differences_[reports.spaces[a]] += weights.second * gap;
          differences_[reports.spaces[b]] -= weights.first * gap;
        }
      }
    }
  }
  for (double& value : differences_) value /= static_cast<double>(aggregate.reporters_);
  return differences_;
}

void AdaptiveOms::step_models(const AdaptiveAggregate& aggregate) {
  sort_by_space(aggregate);
  for (std::size_t n = 0; n < touched_.size(); ++n) {
    if (auto* second = std::get_if<SecondOrderModel>(&learners_[touched_[n]])) {
      step_second_order(touched(n), *second);
    }
  }
  step_first_order(aggregate.reporters_);
  for (const std::uint32_t space : touched_) ends_of_[space] = 0;
}

void AdaptiveOms::sort_by_space(const AdaptiveAggregate& aggregate) {
  std::size_t count = 0;
  touched_.clear();
  for (const ReportBatch& reports : aggregate.batches()) {
    for (const std::uint32_t space : reports.spaces) {
      if (ends_of_[space]++ == 0) touched_.push_back(space);
    }
    count += reports.spaces.size();
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
  sorted_scales_.resize(aggregate.prompt_ ? 0 : count);
  sorted_slopes_.resize(aggregate.prompt_ ? 0 : count);
  for (const ReportBatch& reports : aggregate.batches()) {
    for (std::size_t n = 0; n < reports.size(); ++n) {
      const double share = aggregate.prompt_ ? 1.0 : reports.share_of(n);
      for (std::size_t m = reports.begin_of(n); m < reports.ends[n]; ++m) {
        const std::uint32_t place = ends_of_[reports.spaces[m]]++;
        sorted_gradients_[place].x = reports.directions[m];
        sorted_gradients_[place].factor = reports.factors[m];
        sorted_losses_[place] = reports.losses[m];
        sorted_examples_[place] = reports.examples[n];
        if (aggregate.prompt_) continue;
        sorted_scales_[place] = share * correction(reports, m);
        sorted_slopes_[place] = slope_of(reports, m);
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

double AdaptiveOms::inclusion(std::size_t space) const {
  return inclusion_probability(probabilities()[space], models(), settings_->sampled);
}

void AdaptiveOms::step_second_order(const Touched& touched, SecondOrderModel& model) {
  const std::uint32_t space = touched.space;
  const std::span<float> w = weights_[space];
  const double weight = 1.0 / inclusion(space);
  model.fade(remembered_ / remembered_of_[space]);
  remembered_of_[space] = remembered_;
  if (settings_->fixed_share > 0.0) forget(touched, model);
  for (std::size_t n = 0; n < touched.losses.size(); ++n) observe(touched, n, weight, model);
  // A model that is hardly ever played need not be up to date: less often, and one step.
  constexpr double kUnlikely = 1e-6;
  constexpr std::size_t kReports = 16;
  const bool unlikely = probabilities()[space] < kUnlikely;
  if (unlikely && model.unsolved() < kReports) return;
  model.solve(settings_->plan->maps.space(space).region(), w, unlikely ? 1 : 2);
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

/// All of them stage by stage: sums, rates, moves.
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
        .move(rates_[n], sums_[n].gradient, settings_->plan->maps.space(space).region(),
              weights_[space]);
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
    sums.squared_gradients += squares_[n] / scale;  // which has it twice
  }
  sums.examples = touched.examples.front();
  return sums;
}

}  // namespace caucus
