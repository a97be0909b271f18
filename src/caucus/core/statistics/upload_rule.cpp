#include "caucus/core/statistics/upload_rule.hpp"

namespace caucus {

std::size_t least_hiding_batch(std::span<const Space> spaces, std::size_t features) {
  std::size_t most = 1;
  for (const Space& space : spaces) {
    const std::size_t inputs = space.kind == SpaceKind::linear || space.intercept ? features : 0;
    most = std::max(most, inputs + (space.intercept ? 1 : 0));
  }
  return UploadRule::kExamplesPerCoordinate * most;
}

}  // namespace caucus
