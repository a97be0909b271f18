#include "caucus/algorithms/baselines/pof_mkl.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

#include "caucus/algorithms/baselines/bounded.hpp"
#include "caucus/algorithms/baselines/hedge.hpp"

namespace caucus {

std::vector<KernelBin> kernel_bins(const Simplex& v, std::size_t size, double exploration) {
  const std::size_t K = v.size();
  std::vector<std::uint32_t> order(K);
  std::iota(order.begin(), order.end(), 0U);
  const auto log_v = v.log_probabilities();
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return log_v[a] > log_v[b]; });
  const std::size_t count = (K + size - 1) / size;
  std::vector<KernelBin> bins(count);
  for (std::size_t b = 0; b < count; ++b) {
    double mass = 0.0;
    for (std::size_t k = b * size; k < std::min(K, (b + 1) * size); ++k) {
      bins[b].spaces.push_back(order[k]);
      mass += v[order[k]];
    }
    bins[b].probability = (1.0 - exploration) * mass + exploration / static_cast<double>(count);
  }
  return bins;
}

PofMkl::PofMkl(std::shared_ptr<const BaselineSettings> settings, PofMklVariant variant)
    : Baseline(std::move(settings)), variant_(variant) {
  for ([[maybe_unused]] const auto& theta : models_) {
    assert(variant == PofMklVariant::correct || theta.size() == models_.front().size());
  }
}

void PofMkl::predict(ClientState& memory, const Assignment& assignment, std::span<const float> x,
                     Forecast& into) const {
  if (memory.clock.begins(assignment)) {
    if (memory.v.size() == 0) memory.v = Simplex::uniform(assignment.held.size());
    memory.theta = assignment.held;
    memory.penalties.clear();
    for (const HeldModel& model : memory.theta) {
      memory.penalties.push_back(penalty_of(model.weights, rates().regularization));
    }
    memory.bin.spaces.clear();
  }
  predict_with_held(plan(), assignment, x, into);
  into.output = finite_forecast(expectation(memory.v.probabilities(), into.outputs));
}

void PofMkl::draw_bin(ClientState& memory) const {
  auto bins = kernel_bins(memory.v, settings_->sample_size, rates().exploration);
  std::vector<double> chances;
  chances.reserve(bins.size());
  for (const KernelBin& bin : bins) chances.push_back(bin.probability);
  Stream draws = stream(Purpose::client, memory.clock.batch(), memory.clock.client());
  memory.bin = std::move(bins[draw_index(chances, draws)]);
  memory.gradient_sums.clear();
  memory.gradient_means.clear();
  for (const std::uint32_t i : memory.bin.spaces) {
    memory.gradient_sums.emplace_back(memory.theta[i].weights.size(), 0.0);
    memory.gradient_means.emplace_back(memory.theta[i].weights.size());
  }
}

void PofMkl::report(ClientState& memory, const Forecast& forecast, double y,
                    BaselineBatch& into) const {
  std::vector<double> losses(forecast.outputs.size());
  for (std::size_t i = 0; i < losses.size(); ++i) {
    losses[i] = bounded_loss(plan().loss.value(forecast.outputs[i], y) + memory.penalties[i]);
  }
  hedge(memory.v, losses, rates().weight_rate);
  if (memory.bin.spaces.empty()) draw_bin(memory);
  const auto examples = static_cast<double>(++into.examples);
  const double importance = 1.0 / memory.bin.probability;
  const double penalty = importance * 2.0 * rates().regularization;
  into.models.clear();
  for (std::size_t a = 0; a < memory.bin.spaces.size(); ++a) {
    const std::uint32_t i = memory.bin.spaces[a];
    const auto features =
        variant_ == PofMklVariant::correct ? forecast.features[i] : forecast.features.back();
    const auto theta = memory.theta[i].weights;
    const double factor = importance * plan().loss.derivative(forecast.outputs[i], y);
    for (std::size_t k = 0; k < theta.size(); ++k) {
      double& sum = memory.gradient_sums[a][k];
      sum += factor * static_cast<double>(features[k]) + penalty * static_cast<double>(theta[k]);
      memory.gradient_means[a][k] = bounded_float(sum / examples);
    }
    into.models.push_back({i, memory.gradient_means[a]});
  }
  into.selection = memory.v.probabilities();
  memory.clock.end_example();
}

void PofMkl::step(const Batch&, const KeptReports& reports) {
  if (reports.reporters() == 0) return;
  average_selection(reports);
  const auto [gradients, counts] = sums_of(reports);
  const double rate = rates().model_rate / static_cast<double>(reports.reporters());
  for (std::size_t i = 0; i < models_.size(); ++i) {
    if (counts[i] > 0) bounded_step(models_[i], 1.0, rate, gradients[i]);
  }
}

}  // namespace caucus
