#include "caucus/algorithms/adaptive_oms.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "caucus/core/vector.hpp"

namespace caucus {

std::vector<bool> affordable_second_order(const Plan& plan, std::size_t copies) {
  constexpr std::size_t kLargestDimension = 500;
  constexpr double kBudget = 2e9;
  const bool curved = !std::holds_alternative<LinearLoss>(plan.loss.kind());
  std::vector<bool> affordable;
  double bytes = 0.0;
  for (std::size_t i = 0; i < plan.maps.size(); ++i) {
    const std::size_t d = plan.maps.dimension(i);
    const bool small = curved && d <= kLargestDimension;
    if (small) {
      bytes += static_cast<double>(SymmetricMatrix::bytes(d)) * static_cast<double>(copies);
    }
    affordable.push_back(small);
  }
  if (bytes > kBudget) affordable.assign(plan.maps.size(), false);
  return affordable;
}

void AdaptiveAggregate::clear() {
  entries_.clear();
  client_begin_.clear();
  memory_.clear();
}

AdaptiveOms::AdaptiveOms(std::shared_ptr<const AdaptiveSettings> settings)
    : settings_(std::move(settings)),
      hedge_(settings_->plan->maps.size()),
      weights_(settings_->plan->maps),
      sampler_({settings_->seed, Purpose::sampling, settings_->repetition},
               hedge_.probabilities().size(), settings_->sampled),
      remembered_of_(hedge_.probabilities().size(), 1.0),
      last_batch_(hedge_.probabilities().size(), 0),
      entries_of_(hedge_.probabilities().size()) {
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

void AdaptiveOms::aggregate(const TileReports& reports, AdaptiveAggregate& into) const {
  const std::size_t before = into.entries_.size();
  into.entries_.resize(before + reports.spaces.size());
  AdaptiveAggregate::Entry* entry = into.entries_.data() + before;
  for (std::size_t n = 0; n < reports.size(); ++n) {
    into.client_begin_.push_back(before + n * reports.sampled);
    for (std::size_t a = 0; a < reports.sampled; ++a, ++entry) {
      const std::size_t m = n * reports.sampled + a;
      entry->space = reports.spaces[m];
      entry->examples = reports.examples[n];
      entry->loss = static_cast<double>(reports.losses[m]);
      entry->gradient.x = reports.directions[m];
      entry->gradient.factor = reports.factors[m];
      if (reports.lasting) continue;
      const std::size_t size = settings_->plan->maps.dimension(entry->space);
      const std::span copy(into.memory_.take(size), size);
      write_product(copy, reports.factors[m], {reports.directions[m], size});
      entry->gradient = {copy.data(), 1.0F};
    }
  }
}

void AdaptiveOms::step(const Batch&, const AdaptiveAggregate& aggregate) {
  if (aggregate.client_begin_.empty()) return;
  ++batches_;
  forget_departed(departures_.stayed(aggregate.client_begin_.size()));
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
  const Simplex& p = probabilities();
  const std::size_t reporters = aggregate.client_begin_.size();
  differences_.assign(models(), 0.0);
  for (std::size_t j = 0; j < reporters; ++j) {
    const std::size_t first = aggregate.client_begin_[j];
    const std::size_t last =
        j + 1 < reporters ? aggregate.client_begin_[j + 1] : aggregate.entries_.size();
    for (std::size_t a = first; a < last; ++a) {
      const auto& one = aggregate.entries_[a];
      for (std::size_t b = a + 1; b < last; ++b) {
        const auto& other = aggregate.entries_[b];
        const double gap = one.loss - other.loss;
        const PairWeights weights = pair_weights(p, one.space, other.space, settings_->sampled);
        differences_[one.space] += weights.second * gap;
        differences_[other.space] -= weights.first * gap;
      }
    }
  }
  for (double& value : differences_) value /= static_cast<double>(reporters);
  return differences_;
}

void AdaptiveOms::step_models(const AdaptiveAggregate& aggregate) {
  touched_.clear();
  for (std::size_t e = 0; e < aggregate.entries_.size(); ++e) {
    const std::uint32_t space = aggregate.entries_[e].space;
    if (std::holds_alternative<std::monostate>(learners_[space])) continue;
    if (entries_of_[space].empty()) touched_.push_back(space);
    entries_of_[space].push_back(static_cast<std::uint32_t>(e));
  }
  for (const std::uint32_t space : touched_) {
    if (auto* second = std::get_if<SecondOrderModel>(&learners_[space])) {
      step_second_order(space, aggregate, *second);
    }
  }
  step_first_order(aggregate);
  for (const std::uint32_t space : touched_) entries_of_[space].clear();
}

void AdaptiveOms::forget(std::uint32_t space, const AdaptiveAggregate& aggregate,
                         SecondOrderModel& model) {
  double losses = 0.0;
  for (const std::uint32_t e : entries_of_[space]) losses += aggregate.entries_[e].loss;
  model.forget(settings_->fixed_share, batches_ - last_batch_[space],
               losses / static_cast<double>(entries_of_[space].size()));
  last_batch_[space] = batches_;
}

double AdaptiveOms::inclusion(std::uint32_t space) const {
  return inclusion_probability(probabilities()[space], models(), settings_->sampled);
}

void AdaptiveOms::step_second_order(std::uint32_t space, const AdaptiveAggregate& aggregate,
                                    SecondOrderModel& model) {
  const std::span<float> w = weights_[space];
  const double weight = 1.0 / inclusion(space);
  model.fade(remembered_ / remembered_of_[space]);
  remembered_of_[space] = remembered_;
  if (settings_->fixed_share > 0.0) forget(space, aggregate, model);
  for (const std::uint32_t e : entries_of_[space]) {
    const auto& entry = aggregate.entries_[e];
    model.observe(entry.loss, written(entry.gradient, w.size()), weight, w, entry.examples);
  }
  // A model that is hardly ever played need not be up to date: less often, and one step.
  constexpr double kUnlikely = 1e-6;
  constexpr std::size_t kReports = 16;
  const bool unlikely = probabilities()[space] < kUnlikely;
  if (unlikely && model.unsolved() < kReports) return;
  model.solve(settings_->plan->maps.space(space).region(), w, unlikely ? 1 : 2);
}

std::span<const float> AdaptiveOms::written(const simd::Term& gradient, std::size_t dimension) {
  if (gradient.factor == 1.0F) return {gradient.x, dimension};
  gradient_.resize(dimension);
  write_product(gradient_, gradient.factor, {gradient.x, dimension});
  return gradient_;
}

/// All of them stage by stage: sums, rates, moves.
void AdaptiveOms::step_first_order(const AdaptiveAggregate& aggregate) {
  sums_.clear();
  first_order_.clear();
  gradients_.clear();
  for (const std::uint32_t space : touched_) {
    if (!std::holds_alternative<FirstOrderModel>(learners_[space])) continue;
    first_order_.push_back(space);
    sums_.push_back(sums_of(space, aggregate));
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

RoundSums AdaptiveOms::sums_of(std::uint32_t space, const AdaptiveAggregate& aggregate) {
  const std::vector<std::uint32_t>& entries = entries_of_[space];
  const std::size_t count = entries.size();
  const std::size_t size = weights_[space].size();
  const std::span gradient(gradients_.take(size), size);
  terms_.resize(count);
  squares_.resize(count);
  double losses = 0.0;
  for (std::size_t n = 0; n < count; ++n) {
    const auto& entry = aggregate.entries_[entries[n]];
    losses += entry.loss;
    terms_[n].x = entry.gradient.x;
    terms_[n].factor = entry.gradient.factor;
  }
  const double squared_sum = sum_and_measure(terms_, gradient, squares_);
  double squared_gradients = 0.0;
  for (const double square : squares_) squared_gradients += square;
  return {aggregate.client_begin_.size(),
          count,
          inclusion(space),
          losses,
          squared_gradients,
          gradient,
          squared_sum,
          aggregate.entries_[entries.front()].examples};
}

}  // namespace caucus
