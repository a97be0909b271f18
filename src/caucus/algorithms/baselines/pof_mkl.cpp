#include "caucus/algorithms/baselines/pof_mkl.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <utility>

#include "caucus/algorithms/baselines/hedge.hpp"
#include "caucus/core/base/vector.hpp"
#include "caucus/core/losses/bounds.hpp"

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

void PofMklBatch::begin(const TimedAssignment& assignment) {
  client_ = assignment.client;
  spaces_.clear();
  ends_.clear();
  gradients_.clear();
  examples_ = 0;
}

void PofMklBatch::open(const KernelBin& bin, std::span<const HeldModel> theta) {
  spaces_ = bin.spaces;
  std::size_t numbers = 0;
  for (const std::uint32_t i : spaces_) ends_.push_back(numbers += theta[i].weights.size());
  gradients_.assign(numbers, 0.0);
}

void PofMklBatch::add(std::size_t offset, double factor, std::span<const float> features,
                      double penalty, std::span<const float> theta) {
  for (std::size_t k = 0; k < theta.size(); ++k) {
    gradients_[offset + k] +=
        factor * static_cast<double>(features[k]) + penalty * static_cast<double>(theta[k]);
  }
}

void PofMklBatch::end_example(const Simplex& v) {
  ++examples_;
  selection_ = v.probabilities();
}

void PofMklBatch::report(ReportBatch& into) const {
  if (examples_ == 0) return;
  into.add_report(client_, examples_);
  into.selections.insert(into.selections.end(), selection_.begin(), selection_.end());
  std::size_t k = 0;
  for (std::size_t a = 0; a < spaces_.size(); ++a) {
    for (float& value : into.add_model(spaces_[a], 0.0F, ends_[a] - k)) {
      value = bounded_float(gradients_[k++] / static_cast<double>(examples_));
    }
  }
}

PofMklAggregate::PofMklAggregate(const FeatureMaps& maps)
    : gradients_(maps), touched_(maps.size(), false), selection_(maps.size(), 0.0) {}

void PofMklAggregate::clear() {
  for (std::size_t i = 0; i < touched_.size(); ++i) {
    if (touched_[i]) std::fill(gradients_[i].begin(), gradients_[i].end(), 0.0F);
    touched_[i] = false;
  }
  std::fill(selection_.begin(), selection_.end(), 0.0);
  reporters_ = 0;
}

PofMkl::PofMkl(std::shared_ptr<const BaselineSettings> settings, PofMklVariant variant)
    : settings_(std::move(settings)),
      variant_(variant),
      theta_(settings_->plan->maps),
      selection_(theta_.size(), 1.0 / static_cast<double>(theta_.size())) {
  for ([[maybe_unused]] std::size_t i = 1; i < theta_.size(); ++i) {
    assert(variant == PofMklVariant::correct || theta_[i].size() == theta_[0].size());
  }
}

void PofMkl::assign(const Batch& batch, std::uint32_t client, Assignment& into) const {
  into.client = client;
  into.batch = batch;
  theta_.lend(into.held);
}

void PofMkl::predict(ClientState& memory, const Assignment& assignment, std::span<const float> x,
                     Forecast& into) const {
  if (memory.clock.begins(assignment)) {
    if (memory.v.size() == 0) memory.v = Simplex::uniform(assignment.held.size());
    memory.theta = assignment.held;
    memory.penalties.clear();
    for (const HeldModel& model : memory.theta) {
      memory.penalties.push_back(penalty_of(model.weights, settings_->rates.regularization));
    }
    memory.bin.spaces.clear();
  }
  predict_with_held(*settings_->plan, assignment, x, into);
  into.output = finite_forecast(expectation(memory.v.probabilities(), into.outputs));
}

void PofMkl::report(ClientState& memory, const Forecast& forecast, double y,
                    BatchMean& into) const {
  std::vector<double> losses(forecast.outputs.size());
  for (std::size_t i = 0; i < losses.size(); ++i) {
    losses[i] =
        bounded_loss(settings_->plan->loss.value(forecast.outputs[i], y) + memory.penalties[i]);
  }
  hedge(memory.v, losses, settings_->rates.weight_rate);
  if (memory.bin.spaces.empty()) draw_bin(memory, into);
  add_gradients(memory, forecast, y, into);
  into.end_example(memory.v);
  memory.clock.end_example();
}

void PofMkl::draw_bin(ClientState& memory, BatchMean& into) const {
  auto bins = kernel_bins(memory.v, settings_->sampled, settings_->rates.exploration);
  std::vector<double> chances;
  chances.reserve(bins.size());
  for (const KernelBin& bin : bins) chances.push_back(bin.probability);
  Stream stream({settings_->seed, Purpose::client, settings_->repetition, memory.clock.batch(),
                 memory.clock.client()});
  memory.bin = std::move(bins[draw_index(chances, stream)]);
  into.open(memory.bin, memory.theta);
}

void PofMkl::add_gradients(const ClientState& memory, const Forecast& forecast, double y,
                           BatchMean& into) const {
  const double importance = 1.0 / memory.bin.probability;
  std::size_t offset = 0;
  for (const std::uint32_t i : memory.bin.spaces) {
    const auto features =
        variant_ == PofMklVariant::correct ? forecast.features[i] : forecast.features.back();
    const auto theta = memory.theta[i].weights;
    into.add(offset, importance * settings_->plan->loss.derivative(forecast.outputs[i], y),
             features, importance * 2.0 * settings_->rates.regularization, theta);
    offset += theta.size();
  }
}

void PofMkl::aggregate(const ReportBatch& reports, Aggregate& into) const {
  into.reporters_ += reports.size();
  for (std::size_t m = 0; m < reports.spaces.size(); ++m) {
    const std::uint32_t i = reports.spaces[m];
    add(into.gradients_[i], reports.direction(m));
    into.touched_[i] = true;
  }
  for (std::size_t k = 0; k < reports.selections.size(); ++k) {
    into.selection_[k % theta_.size()] += reports.selections[k];
  }
}

void PofMkl::step(const Batch&, const Aggregate& aggregate) {
  if (aggregate.reporters_ == 0) return;
  const auto reporters = static_cast<double>(aggregate.reporters_);
  for (std::size_t i = 0; i < theta_.size(); ++i) {
    selection_[i] = aggregate.selection_[i] / reporters;
    if (aggregate.touched_[i]) {
      bounded_step(theta_[i], 1.0, settings_->rates.model_rate / reporters,
                   aggregate.gradients_[i]);
    }
  }
}

std::size_t PofMkl::upload_bits(const Assignment& assignment) const {
  const std::size_t sent = std::min(settings_->sampled, assignment.held.size());
  return 32 * largest_dimensions(settings_->plan->maps, sent) + sent * index_bits(theta_.size());
}

std::size_t PofMkl::upload_bits(const ReportBatch& reports) const {
  return 32 * reports.floats() + reports.spaces.size() * index_bits(theta_.size());
}

std::size_t PofMkl::download_bits(const Assignment&) const { return 32 * theta_.all().size(); }

}  // namespace caucus
