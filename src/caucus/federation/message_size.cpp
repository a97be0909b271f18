#include "caucus/federation/message_size.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace caucus {
namespace {

constexpr std::size_t kAround = 65'536;   // bytes of all parts that are not models
constexpr std::size_t kAroundModel = 64;  // bytes of its space, loss and lengths

std::size_t models(const SharedPlan& plan, std::size_t sample_size) {
  std::size_t dimension = plan.features + 1;
  for (const Space& space : plan.spaces) {
    if (space.is_kernel()) dimension = std::max<std::size_t>(dimension, 2 * space.features);
  }
  return sample_size * (sizeof(float) * dimension + kAroundModel);
}

}  // namespace

std::size_t largest_assignment(const SharedPlan& plan, std::size_t sample_size) {
  return kAround + models(plan, sample_size);
}

std::size_t largest_report(const SharedPlan& plan, std::size_t sample_size) {
  return kAround + std::min(plan.label_delay + 1, kPartsPerReport) * models(plan, sample_size);
}

std::size_t usual_report(const SharedPlan& plan, std::size_t sample_size) {
  constexpr std::size_t kSums = 256;
  return kSums + models(plan, sample_size);
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
