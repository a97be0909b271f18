#include "caucus/algorithms/fomd_oms.hpp"

#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "caucus/core/base/text.hpp"
#include "caucus/core/base/vector.hpp"
#include "caucus/core/mirror/region.hpp"
#include "caucus/fomd_no_lu.hpp"

namespace caucus {

Status validate_sample_size(std::size_t sample_size, std::size_t models) {
  const std::size_t K = models;
  const std::string given = std::to_string(sample_size) + " of " + std::to_string(K) + " models";
  if (sample_size > K) return usage_error("sample_size", given, "J must not exceed K");
  if (sample_size < 1 || (sample_size == 1 && K > 1)) {
    return usage_error("sample_size", given,
                       "expected J >= 2: the estimates need at least one model beside the player");
  }
  return Done{};
}

Status OmsSettings::validate() const {
  CAUCUS_CHECK(validate_sample_size(sample_size, plan->maps.size()));
  for (const double bound : entropy.weights()) {
    if (!(bound > 0.0) || !std::isfinite(bound)) {
      return usage_error(
          "loss_bound", to_text(bound),
          "expected C_i > 0 and finite; an infinite radius or zero data need it to be given");
    }
  }
  return Done{};
}

// --- the sums of a batch ---

void OmsAggregate::clear() {
  for (const Sums& sums : touched()) sum_of_[sums.space] = kNone;
  used_ = 0;
  reporters_ = 0;
}

OmsAggregate::Sums& OmsAggregate::sums_of(std::uint32_t space) {
  std::uint32_t& place = sum_of_[space];
  if (place != kNone) return sums_[place];
  if (used_ == sums_.size()) sums_.emplace_back();
  place = static_cast<std::uint32_t>(used_);
  Sums& fresh = sums_[used_++];
  fresh.space = space;
  fresh.loss = 0.0;
  fresh.gradient.assign(maps_->dimension(space), 0.0F);
  return fresh;
}

void OmsAggregate::add_up() {
  for (std::size_t s = 0; s < used_; ++s) {
    add_products(sums_[s].gradient, sums_[s].terms);
    sums_[s].terms.clear();
  }
}

// --- Algorithms 2 and 3, the server ---

FomdOms::FomdOms(std::shared_ptr<const OmsSettings> settings)
    : OmsServer(std::move(settings)),
      p_(std::visit([](const auto& s) { return s.first_probabilities(); }, settings_->schedule)) {}

/// Adds the reports of the clients, one after another.
void FomdOms::aggregate(ReportBatch& reports, OmsAggregate& into) const {
  into.reporters_ += reports.reporters();
  if (!reports.is_prompt()) return aggregate_late(reports, into);
  for (std::size_t m = 0; m < reports.spaces.size(); ++m) {
    into.add(reports.spaces[m], static_cast<double>(reports.losses[m]),
             {reports.directions[m], reports.factors[m]});
  }
  into.add_up();
}

/// Multiplies loss and gradient by the report's share of its client's examples and, if the model
/// was sampled earlier, by the correction.
void FomdOms::aggregate_late(const ReportBatch& reports, OmsAggregate& into) const {
  FloatArena scaled;
  for (std::size_t n = 0; n < reports.size(); ++n) {
    const double share = reports.share_of(n);
    for (std::size_t m = reports.begin_of(n); m < reports.ends[n]; ++m) {
      const std::uint32_t space = reports.spaces[m];
      const double scale = share * correction(reports, m);
      const std::span<float> gradient(scaled.take(reports.sizes[m]), reports.sizes[m]);
      write_product(gradient, reports.factors[m], reports.direction(m));
      for (float& value : gradient) value = static_cast<float>(scale * static_cast<double>(value));
      const float loss = reported_loss(scale * static_cast<double>(reports.losses[m]));
      into.add(space, static_cast<double>(loss), {gradient.data(), 1.0F});
    }
  }
  into.add_up();
}

void FomdOms::step(const Batch& batch, const OmsAggregate& aggregate) {
  const auto M = static_cast<double>(aggregate.reporters_);
  losses_.clear();
  std::visit(
      [&](const auto& schedule) {
        for (const OmsAggregate::Sums& sums : aggregate.touched()) {
          const std::uint32_t i = sums.space;
          // The sums times this are unbiased estimates of the means over the clients. P_i is that
          // of the sampling, since p moves last.
          const double weight = 1.0 / (M * inclusion(i));
          losses_.push_back({i, weight * sums.loss});
          if (sums.gradient.empty()) continue;  // a frozen expert
          fomd_no_lu_step(region_of(plan().maps.space(i)), weights_[i],
                          std::span<const float>(sums.gradient),
                          weight * schedule.model_rate(batch.number, i));
        }
        if (losses_.empty()) return;
        fomd_no_lu_step(settings_->entropy, p_, std::span<const IndexedLoss>(losses_),
                        schedule.probability_rate());
        p_.share(settings_->fixed_share);
      },
      settings_->schedule);
}

// --- as bytes ---

/// The first bytes, with the version of the layout.
constexpr std::string_view kFomdState = "fomd-oms 1";

void FomdOms::save(StateWriter& to) const {
  to.text(kFomdState);
  p_.save(to);
  weights_.save(to);
}

Status FomdOms::restore(StateReader& from) {
  from.expect(kFomdState);
  CAUCUS_CHECK(p_.restore(from));
  return weights_.restore(from, plan().maps);
}

}  // namespace caucus
