#include "caucus/algorithms/fomd_oms.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "caucus/ball.hpp"
#include "caucus/box.hpp"
#include "caucus/core/base/text.hpp"
#include "caucus/core/base/vector.hpp"

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
  for (std::size_t s = 0; s < used_; ++s) slot_of_[spaces_[s]] = -1;
  used_ = 0;
  summed_ = false;
  reporters_ = 0;
}

std::size_t OmsAggregate::new_slot(std::uint32_t space) {
  const std::size_t slot = used_++;
  slot_of_[space] = static_cast<std::int32_t>(slot);
  if (spaces_.size() < used_) {
    spaces_.resize(used_);
    losses_.resize(used_);
    counts_.resize(used_);
    gradients_.resize(used_);
  }
  if (terms_.size() < used_ * most_terms_) terms_.resize(2 * used_ * most_terms_);
  spaces_[slot] = space;
  losses_[slot] = 0.0;
  counts_[slot] = 0;
  gradients_[slot].clear();
  return slot;
}

void OmsAggregate::add(const TileReports& reports) {
  most_terms_ = reports.size();
  if (terms_.size() < used_ * most_terms_) terms_.resize(2 * used_ * most_terms_);
  const std::size_t count = reports.spaces.size();
  const std::uint32_t* const spaces = reports.spaces.data();
  for (std::size_t m = 0; m < count; ++m) {
    const std::int32_t known = slot_of_[spaces[m]];
    const std::size_t slot = known >= 0 ? static_cast<std::size_t>(known) : new_slot(spaces[m]);
    losses_[slot] += static_cast<double>(reports.losses[m]);
    simd::Term& term = terms_[slot * most_terms_ + counts_[slot]++];
    term.x = reports.directions[m];
    term.factor = reports.factors[m];
  }
}

void OmsAggregate::add_and_sum(const TileReports& reports) {
  add(reports);
  if (!reports.lasting) add_up();
}

void OmsAggregate::add_up() {
  summed_ = true;
  for (std::size_t slot = 0; slot < used_; ++slot) {
    if (counts_[slot] == 0) continue;
    AlignedVector<float>& gradient = gradients_[slot];
    if (gradient.empty()) gradient.assign(maps_->dimension(spaces_[slot]), 0.0F);
    add_products(gradient, terms_of(slot));
    counts_[slot] = 0;
  }
}

FomdOms::FomdOms(std::shared_ptr<const OmsSettings> settings)
    : settings_(std::move(settings)),
      p_(std::visit([](const auto& s) { return s.first_probabilities(); }, settings_->schedule)),
      weights_(settings_->plan->maps),
      sampler_({settings_->seed, Purpose::sampling, settings_->repetition}, p_.size(),
               settings_->sampled),
      eta_(std::visit([](const auto& s) { return s.probability_rate(); }, settings_->schedule)) {}

void FomdOms::aggregate(std::span<const Report> parts, OmsAggregate& into) const {
  ++into.reporters_;
  for (const Report& part : parts) {
    const double share = share_of(part, parts);
    if (share == 1.0 && part.sampled_with.empty()) {
      with_tile_of_one(part, [&](const TileReports& reports) { into.add_and_sum(reports); });
    } else {
      aggregate_scaled(part, share, into);
    }
  }
}

/// The step divides by P_i of now.
void FomdOms::aggregate_scaled(const Report& part, double share, OmsAggregate& into) const {
  std::vector<HeldReport> held(part.held.begin(), part.held.end());
  std::vector<std::vector<float>> gradients(held.size());
  for (std::size_t a = 0; a < held.size(); ++a) {
    double scale = share;
    if (!part.sampled_with.empty()) {
      scale *= inclusion(held[a].space) /
               inclusion_probability(part.sampled_with[a], models(), sampled());
    }
    gradients[a].resize(held[a].direction.size());
    write_product(gradients[a], held[a].factor, held[a].direction);
    for (float& value : gradients[a]) {
      value = static_cast<float>(scale * static_cast<double>(value));
    }
    held[a].loss = reported_loss(scale * static_cast<double>(held[a].loss));
    held[a].factor = 1.0F;
    held[a].direction = gradients[a];
  }
  const Report scaled{part.client, part.examples, held};
  with_tile_of_one(scaled, [&](const TileReports& reports) { into.add_and_sum(reports); });
}

void FomdOms::aggregate(const TileReports& reports, OmsAggregate& into) const {
  into.reporters_ += reports.size();
  into.add_and_sum(reports);
}

void FomdOms::step(const Batch& batch, const OmsAggregate& aggregate) {
  if (aggregate.reporters_ == 0) return;
  estimate(batch, aggregate);
  step_models(aggregate);
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
          const std::uint32_t space = aggregate.spaces_[s];
          const double weight = 1.0 / (reporters * inclusion(space));
          losses_[s] = {space, weight * aggregate.losses_[s]};
          rates_[s] = weight * schedule.model_rate(batch.number, space);
        }
      },
      settings_->schedule);
}

void FomdOms::step_models(const OmsAggregate& aggregate) {
  moves_.resize(aggregate.used_);
  radii_.resize(aggregate.used_);
  std::size_t moves = 0;
  for (std::size_t s = 0; s < aggregate.used_; ++s) {
    const std::uint32_t i = aggregate.spaces_[s];
    const std::span<float> w = weights_[i];
    if (w.empty()) continue;  // a frozen expert
    const Space& space = settings_->plan->maps.space(i);
    if (aggregate.summed_ || space.constraint != Constraint::ball) {
      step_model(space, aggregate, s, w);
      continue;
    }
    const auto terms = aggregate.terms_of(s);
    simd::Move& move = moves_[moves];
    move.w = w.data();
    move.terms = terms.data();
    move.count = terms.size();
    move.n = w.size();
    move.factor = static_cast<float>(-rates_[s]);
    radii_[moves++] = space.radius;
  }
  squares_.resize(moves_.size());
  move_by_products(std::span(moves_).first(moves), squares_);
  for (std::size_t m = 0; m < moves; ++m) {
    Ball{radii_[m]}.scale_back({moves_[m].w, moves_[m].n}, squares_[m]);
  }
}

/// With its gradient written out.
void FomdOms::step_model(const Space& space, const OmsAggregate& aggregate, std::size_t slot,
                         std::span<float> w) {
  std::span<const float> gradient = aggregate.gradients_[slot];
  if (!aggregate.summed_) {
    gradient_.assign(w.size(), 0.0F);
    add_products(gradient_, aggregate.terms_of(slot));
    gradient = gradient_;
  }
  if (space.constraint == Constraint::ball) {
    Ball{space.radius}.descend(w, gradient, rates_[slot]);
  } else {
    Box{space.radius}.descend(w, gradient, rates_[slot]);
  }
}

}  // namespace caucus
