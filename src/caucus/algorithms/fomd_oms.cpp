#include "caucus/algorithms/fomd_oms.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "caucus/core/ball.hpp"
#include "caucus/core/box.hpp"
#include "caucus/core/text.hpp"
#include "caucus/core/vector.hpp"

namespace caucus {

Status validate_sample(std::size_t sampled, std::size_t models) {
  const std::size_t K = models;
  if (sampled > K) {
    return usage_error("--sample", std::to_string(sampled) + " of " + std::to_string(K) + " models",
                       "J must not exceed K");
  }
  if (sampled < 1 || (sampled == 1 && K > 1)) {
    return usage_error("--sample", std::to_string(sampled) + " of " + std::to_string(K) + " models",
                       "expected J >= 2: the estimates need at least one model beside the player");
  }
  return Done{};
}

Status OmsSettings::validate() const {
  CAUCUS_CHECK(validate_sample(sampled, plan->maps.size()));
  for (const double bound : entropy.weights()) {
    if (!(bound > 0.0) || !std::isfinite(bound)) {
      return usage_error(
          "loss bound", to_text(bound),
          "expected C_i > 0 and finite; an infinite radius or zero data need --loss-bound");
    }
  }
  return Done{};
}

void OmsAggregate::clear() {
  for (std::size_t s = 0; s < used_; ++s) slot_of_[sums_[s].space] = -1;
  used_ = 0;
  reporters_ = 0;
  lanes_.clear();
}

OmsAggregate::Sum& OmsAggregate::new_sum(std::uint32_t space, std::size_t dimension) {
  slot_of_[space] = static_cast<std::int32_t>(used_);
  if (used_ == sums_.size()) sums_.emplace_back();
  if (terms_.size() < (used_ + 1) * most_terms_) terms_.resize(2 * (used_ + 1) * most_terms_);
  Sum& fresh = sums_[used_++];
  fresh.space = space;
  fresh.terms = 0;
  fresh.loss = 0.0;
  fresh.dimension = dimension;
  fresh.gradient.clear();
  return fresh;
}

void OmsAggregate::add(const TileReports& reports) {
  reporters_ += reports.size();
  most_terms_ = reports.size();
  if (terms_.size() < used_ * most_terms_) terms_.resize(2 * used_ * most_terms_);
  for (const HeldReport& held : reports.held) {
    const std::int32_t known = slot_of_[held.space];
    const std::size_t slot = known >= 0 ? static_cast<std::size_t>(known) : used_;
    Sum& sum = known >= 0 ? sums_[slot] : new_sum(held.space, held.direction.size());
    sum.loss += static_cast<double>(held.loss);
    simd::Term& term = terms_[slot * most_terms_ + sum.terms++];
    term.x = held.direction.data();
    term.factor = held.factor;
  }
}

void OmsAggregate::add_up() {
  for (std::size_t slot = 0; slot < used_; ++slot) {
    Sum& sum = sums_[slot];
    if (sum.gradient.empty()) sum.gradient.assign(sum.dimension, 0.0F);
    add_products(sum.gradient, terms_of(slot));
    sum.terms = 0;
  }
}

FomdOms::FomdOms(std::shared_ptr<const OmsSettings> settings, Layout layout)
    : settings_(std::move(settings)),
      p_(std::visit([](const auto& s) { return s.first_probabilities(); }, settings_->schedule)),
      weights_(settings_->plan->maps),
      sampler_({settings_->seed, Purpose::sampling, settings_->repetition}, p_.size(),
               settings_->sampled),
      eta_(std::visit([](const auto& s) { return s.probability_rate(); }, settings_->schedule)) {
  const FeatureMaps& maps = settings_->plan->maps;
  if (layout == Layout::lanes && ModelLanes::can_hold(maps)) lanes_.emplace(maps);
}

void FomdOms::aggregate(const Report& report, OmsAggregate& into) const {
  aggregate({report.held.size(), {&report.client, 1}, {&report.examples, 1}, report.held, false},
            into);
}

void FomdOms::aggregate(const TileReports& reports, OmsAggregate& into) const {
  into.add(reports);
  if (!reports.lasting) into.add_up();
}

void FomdOms::step(const Batch& batch, const OmsAggregate& aggregate) {
  if (aggregate.lanes_.reporters > 0) return step_lanes(batch, aggregate.lanes_);
  if (aggregate.reporters_ == 0) return;
  renew_rows();
  estimate(batch, aggregate);
  step_models(aggregate);
  if (lanes_) lanes_->copy_from(weights_);
  settings_->entropy.descend(p_, losses_, eta_);
  p_.share(settings_->fixed_share);
}

/// Before p moves: P_i is that of the time of sampling.
void FomdOms::estimate(const Batch& batch, const OmsAggregate& aggregate) {
  const auto reporters = static_cast<double>(aggregate.reporters_);
  losses_.resize(aggregate.used_);
  rates_.resize(aggregate.used_);
  std::visit(
      [&](const auto& schedule) {
        for (std::size_t s = 0; s < aggregate.used_; ++s) {
          const OmsAggregate::Sum& sum = aggregate.sums_[s];
          const double weight = 1.0 / (reporters * inclusion(sum.space));
          losses_[s] = {sum.space, weight * sum.loss};
          rates_[s] = weight * schedule.model_rate(batch.number, sum.space);
        }
      },
      settings_->schedule);
}

void FomdOms::step_models(const OmsAggregate& aggregate) {
  moves_.clear();
  radii_.clear();
  for (std::size_t s = 0; s < aggregate.used_; ++s) {
    const OmsAggregate::Sum& sum = aggregate.sums_[s];
    if (sum.dimension == 0) continue;  // a frozen expert
    const Space& space = settings_->plan->maps.space(sum.space);
    const std::span<float> w = weights_[sum.space];
    const auto terms = aggregate.terms_of(s);
    if (space.constraint == Constraint::ball && sum.gradient.empty()) {
      moves_.push_back(
          {w.data(), terms.data(), terms.size(), w.size(), static_cast<float>(-rates_[s])});
      radii_.push_back(space.radius);
    } else if (space.constraint == Constraint::ball) {
      Ball{space.radius}.descend(w, sum.gradient, rates_[s]);
    } else if (sum.gradient.empty()) {
      gradient_.assign(sum.dimension, 0.0F);
      add_products(gradient_, terms);
      Box{space.radius}.descend(w, gradient_, rates_[s]);
    } else {
      Box{space.radius}.descend(w, sum.gradient, rates_[s]);
    }
  }
  squares_.resize(moves_.size());
  move_by_products(moves_, squares_);
  for (std::size_t m = 0; m < moves_.size(); ++m) {
    Ball{radii_[m]}.scale_back({moves_[m].w, moves_[m].n}, squares_[m]);
  }
}

/// estimate() and step_models() for models that lie side by side.
void FomdOms::step_lanes(const Batch& batch, const LaneSums& sums) {
  constexpr std::size_t kLanes = ModelLanes::kLanes;
  rates_.resize(2 * kLanes);
  all_losses_.resize(kLanes);
  const auto model_rates = std::span(rates_).last(kLanes);
  std::visit(
      [&](const auto& schedule) {
        for (std::size_t i = 0; i < models(); ++i) {
          model_rates[i] = schedule.model_rate(batch.number, i);
        }
      },
      settings_->schedule);
  simd::kernels().estimate_lanes({models(), sampled(), static_cast<double>(sums.reporters),
                                  p_.weights().padded_values(), p_.weights().total(),
                                  sums.losses.data(), model_rates.data(), all_losses_.data(),
                                  rates_.data()});
  lanes_->descend(sums.gradients, rates_, sums.touched);
  rows_are_old_ = true;
  settings_->entropy.descend(p_, std::span<const double>(all_losses_).first(models()), eta_);
  p_.share(settings_->fixed_share);
}

void FomdOms::renew_rows() const {
  if (lanes_ && rows_are_old_) lanes_->copy_to(weights_);
  rows_are_old_ = false;
}

}  // namespace caucus
