#include "caucus/core/statistics/upload_rule.hpp"

#include "caucus/core/statistics/rare_rows.hpp"

namespace caucus {
namespace {

/// Returns how many leading coordinates have the same sums in all spaces: x and 1, if the sums are
/// not weighted by each model's loss and no space goes without these coordinates.
std::size_t shared_coordinates(std::span<const Space> spaces, const Loss& loss,
                               std::size_t features) {
  if (!loss.is_square()) return 0;
  const bool all = std::all_of(spaces.begin(), spaces.end(), [](const Space& space) {
    return space.kind == SpaceKind::expert || space.intercept;
  });
  return all ? features + 1 : 0;
}

}  // namespace

constexpr double kGrowthAfterChange = 0.4;

std::size_t UploadRule::length_after(std::size_t before, std::size_t changed) const {
  const std::size_t usual = length_after(before);
  if (changed == 0 || rounds > 0) return usual;
  const auto grown =
      static_cast<std::size_t>(kGrowthAfterChange * static_cast<double>(before - changed));
  return std::min(usual, std::max({std::size_t{1}, least, grown}));
}

std::size_t UploadRule::coordinates(std::size_t dimension, std::size_t examples,
                                    std::size_t spaces) const {
  if (!hides_examples) return examples > 0 ? dimension : 0;
  const std::size_t most = examples * numbers / kExampleNumbersPerSum;
  std::size_t sent = std::min(dimension, examples / kExamplesPerCoordinate);
  while (sent > 0 && different_sums(sent, spaces) > most) --sent;
  return sent;
}

void hide_examples(UploadRule& rule, std::span<const Space> spaces, const Loss& loss,
                   std::size_t features, std::size_t held) {
  rule.hides_examples = true;
  rule.numbers = features + 1;
  rule.targets = loss.outputs();
  rule.shared = shared_coordinates(spaces, loss, features);
  const bool only_experts = std::all_of(spaces.begin(), spaces.end(), [](const Space& space) {
    return space.kind == SpaceKind::expert;
  });
  if (only_experts) {  // of which no sums are sent
    rule.least = RareRows::kShortestBatch;
    return;
  }
  std::size_t most = 1;
  for (const Space& space : spaces) {
    const std::size_t inputs = space.kind == SpaceKind::linear || space.intercept ? features : 0;
    most = std::max(most, inputs + (space.intercept ? 1 : 0));
  }
  rule.least = std::max(RareRows::kShortestBatch, UploadRule::kExamplesPerCoordinate * most);
  while (rule.coordinates(most, rule.least, held) < most) ++rule.least;
}

}  // namespace caucus
