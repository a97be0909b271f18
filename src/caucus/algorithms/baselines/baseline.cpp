#include "caucus/algorithms/baselines/baseline.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "caucus/core/base/vector.hpp"
#include "caucus/core/losses/bounds.hpp"

namespace caucus {
namespace {

ModelSet models_at_zero(const FeatureMaps& maps) {
  ModelSet models;
  for (std::size_t i = 0; i < maps.size(); ++i) models.emplace_back(maps.dimension(i), 0.0F);
  return models;
}

}  // namespace

bool ClientClock::begins(const TimedAssignment& assignment) {
  if (batch_ == assignment.batch.number) return false;
  client_ = assignment.client;
  batch_ = assignment.batch.number;
  round_ = assignment.batch.first + 1;
  return true;
}

void BaselineBatch::begin(const TimedAssignment& assignment) {
  client = assignment.client;
  examples = 0;
  models.clear();
}

void BaselineBatch::report(ReportBatch& into) const {
  if (examples == 0) return;
  constexpr double kLargest = 1e38;  // it fits a float
  into.add_report(client, examples);
  into.selections.insert(into.selections.end(), selection.begin(), selection.end());
  for (const Model& model : models) {
    const auto loss = static_cast<float>(std::clamp(model.loss, -kLargest, kLargest));
    into.add_model(model.space, loss, 1.0F, model.weights);
  }
}

Baseline::Baseline(std::shared_ptr<const BaselineSettings> settings)
    : settings_(std::move(settings)),
      models_(models_at_zero(plan().maps)),
      selection_(models_.size(), 1.0 / static_cast<double>(models_.size())) {}

void Baseline::assign(const Batch& batch, std::uint32_t client, Assignment& into) const {
  into.client = client;
  into.batch = batch;
  into.held.clear();
  for (std::uint32_t i = 0; i < models_.size(); ++i) {
    if (!chosen_ || *chosen_ == i)
      into.held.push_back({i, models_[i], chosen_ ? 1.0 : selection_[i]});
  }
}

void Baseline::predict(LocalModels& memory, const Assignment& assignment, std::span<const float> x,
                       Forecast& into) const {
  const FeatureMaps& maps = plan().maps;
  if (memory.clock.begins(assignment)) {
    if (memory.models.empty()) memory.models = models_at_zero(maps);
    for (const HeldModel& held : assignment.held) {
      std::copy(held.weights.begin(), held.weights.end(), memory.models[held.space].begin());
    }
  }
  into.workspace.begin(x);
  into.outputs.clear();
  into.features.clear();
  for (std::uint32_t i = 0; i < maps.size(); ++i) {
    into.features.push_back(maps.features(i, into.workspace));
    into.outputs.push_back(held_output(plan(), {i, memory.models[i]}, x, into.features.back()));
  }
  into.output = into.outputs[assignment.held.front().space];
}

HeldSize Baseline::largest_models(std::size_t count) const {
  std::vector<std::size_t> sizes;
  for (const auto& model : models_) sizes.push_back(model.size());
  std::sort(sizes.begin(), sizes.end(), std::greater<>());
  sizes.resize(std::min(count, sizes.size()));
  return {1, sizes.size(), std::accumulate(sizes.begin(), sizes.end(), std::size_t{0})};
}

std::pair<ModelSet, std::vector<std::size_t>> Baseline::sums_of(const KeptReports& reports) const {
  ModelSet sums = models_at_zero(plan().maps);
  std::vector<std::size_t> counts(sums.size(), 0);
  for (const ReportBatch& batch : reports.batches()) {
    for (std::size_t m = 0; m < batch.spaces.size(); ++m) {
      const std::uint32_t i = batch.spaces[m];
      if (chosen_ && *chosen_ != i) continue;
      add(sums[i], batch.direction(m));
      ++counts[i];
    }
  }
  return {std::move(sums), std::move(counts)};
}

void Baseline::average_models(const KeptReports& reports) {
  const auto [sums, counts] = sums_of(reports);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (counts[i] == 0) continue;
    for (std::size_t k = 0; k < sums[i].size(); ++k) {
      models_[i][k] =
          static_cast<float>(static_cast<double>(sums[i][k]) / static_cast<double>(counts[i]));
    }
  }
}

void Baseline::average_selection(const KeptReports& reports) {
  std::fill(selection_.begin(), selection_.end(), 0.0);
  for (const ReportBatch& batch : reports.batches()) {
    for (std::size_t k = 0; k < batch.selections.size(); ++k) {
      selection_[k % selection_.size()] += batch.selections[k];
    }
  }
  for (double& share : selection_) share /= static_cast<double>(reports.reporters());
}

}  // namespace caucus
