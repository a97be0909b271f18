#include "caucus/engine/participant/message_size.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "caucus/core/statistics/row_sums.hpp"

namespace caucus {
namespace {

constexpr std::size_t kOverhead = 65'536;   // bytes of all parts that are not models
constexpr std::size_t kModelOverhead = 64;  // bytes of a model's space, loss and lengths

std::size_t largest_dimension(const SharedPlan& plan) {
  std::size_t dimension = plan.features + 1;
  for (const Space& space : plan.spaces) {
    dimension = std::max(dimension, space.dimension(plan.features));
  }
  return dimension;
}

std::size_t models(const SharedPlan& plan, std::size_t sample_size) {
  const std::size_t floats = plan.loss.outputs() * largest_dimension(plan);
  return sample_size * (sizeof(float) * floats + kModelOverhead);
}

/// Returns the most bytes of the models of a report. Under the adaptive schedule it has triangles
/// instead of gradients, and also that of a linear space.
std::size_t reported_models(const SharedPlan& plan, std::size_t sample_size) {
  if (!plan.statistics) return models(plan, sample_size);
  const std::size_t targets = plan.loss.outputs();
  const std::size_t floats = sample_size * triangle_size(largest_dimension(plan) + targets) +
                             triangle_size(plan.features + 1 + targets);
  return sizeof(float) * floats + (sample_size + 1) * kModelOverhead;
}

}  // namespace

std::size_t largest_assignment(const SharedPlan& plan, std::size_t sample_size) {
  return kOverhead + models(plan, sample_size + (plan.statistics ? 1 : 0));
}

std::size_t largest_report(const SharedPlan& plan, std::size_t sample_size) {
  return kOverhead +
         std::min(plan.label_delay + 1, kPartsPerReport) * reported_models(plan, sample_size);
}

std::size_t usual_report(const SharedPlan& plan, std::size_t sample_size) {
  constexpr std::size_t kSums = 256;
  return kSums + reported_models(plan, sample_size);
}

double frequency_bytes(const SharedPlan& plan) {
  std::set<std::pair<SpaceKind, std::size_t>> shared;  // shared if only the width differs
  double numbers = 0.0;
  for (const Space& space : plan.spaces) {
    if (!space.is_kernel()) continue;
    if (!space.independent_base && !shared.emplace(space.kind, space.features).second) continue;
    numbers += static_cast<double>(space.features) * static_cast<double>(plan.features);
  }
  return numbers * sizeof(float);
}

}  // namespace caucus
