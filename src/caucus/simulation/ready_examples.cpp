#include "caucus/simulation/ready_examples.hpp"

namespace caucus {

ReadyExamples::ReadyExamples(const FeatureMaps& maps, const Dataset& data,
                             const Partition& partition)
    : width_(maps.expanded_size()), x_(partition.used() * width_) {
  y_.reserve(partition.used());
  FeatureMaps::Workspace workspace(maps);
  for (std::size_t j = 0; j < partition.clients(); ++j) {
    for (const std::uint32_t row : partition.rows_of(j)) {
      workspace.begin(data.x(row));
      maps.expand(workspace, std::span(x_).subspan(y_.size() * width_, width_));
      y_.push_back(static_cast<double>(data.y(row)));
    }
    begin_.push_back(y_.size());
  }
}

}  // namespace caucus
