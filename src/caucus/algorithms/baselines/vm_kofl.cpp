#include "caucus/algorithms/baselines/vm_kofl.hpp"

#include <algorithm>
#include <utility>

#include "caucus/algorithms/baselines/hedge.hpp"
#include "caucus/core/base/vector.hpp"

namespace caucus {

void VmKofl::Aggregate::clear() {
  reporters_ = 0;
  std::fill(losses_.begin(), losses_.end(), 0.0);
  std::fill(models_.all().begin(), models_.all().end(), 0.0F);
}

VmKofl::VmKofl(std::shared_ptr<const BaselineSettings> settings)
    : settings_(std::move(settings)),
      p_(Simplex::uniform(settings_->plan->maps.size())),
      means_(settings_->plan->maps) {}

void VmKofl::assign(const Batch& batch, std::uint32_t client, Assignment& into) const {
  into.client = client;
  into.batch = batch;
  means_.lend(into.held);
  into.weights = p_.probabilities();
}

void VmKofl::predict(ClientState& memory, const Assignment& assignment, std::span<const float> x,
                     Forecast& into) const {
  memory.take_over(settings_->plan->maps, assignment);
  predict_with_local(*settings_->plan, memory, x, into);
  into.output = finite_forecast(expectation(assignment.weights, into.outputs));
}

void VmKofl::report(ClientState& memory, const Forecast& forecast, double y,
                    BatchMean& into) const {
  step_local(*settings_->plan, settings_->rates, forecast, y, memory, memory.losses);
  into.add(memory.losses, memory.models);
}

void VmKofl::aggregate(const ReportBatch& reports, Aggregate& into) const {
  into.reporters_ += reports.size();
  for (std::size_t m = 0; m < reports.spaces.size(); ++m) {
    into.losses_[reports.spaces[m]] += static_cast<double>(reports.losses[m]);
    add(into.models_[reports.spaces[m]], reports.direction(m));
  }
}

void VmKofl::step(const Batch&, const Aggregate& aggregate) {
  if (aggregate.reporters_ == 0) return;
  hedge(p_, aggregate.losses_, settings_->rates.weight_rate);
  const auto reporters = static_cast<double>(aggregate.reporters_);
  const auto sums = aggregate.models_.all();
  const auto means = means_.all();
  for (std::size_t k = 0; k < means.size(); ++k) {
    means[k] = static_cast<float>(static_cast<double>(sums[k]) / reporters);
  }
}

std::size_t VmKofl::upload_bits(const Assignment&) const {
  return 32 * (means_.all().size() + means_.size());
}

std::size_t VmKofl::download_bits(const Assignment&) const {
  return 32 * (means_.all().size() + means_.size());
}

std::vector<double> VmKofl::selection() const { return p_.probabilities(); }

}  // namespace caucus
