#include "caucus/algorithms/statistics/map_sums.hpp"

namespace caucus {

void add_batch(const BatchMapSums& batch, double kept, std::vector<MapSums>& into) {
  for (const std::uint32_t map : batch.touched) {
    const MapSums& added = batch.of_map[map];
    MapSums& all = into[map];
    if (all.sums.empty()) all.sums = SymmetricMatrix(added.sums.size());
    if (kept < 1.0) {
      all.sums.scale(kept);
      all.solved *= kept;
    }
    all.sums.add(added.sums);
    all.examples = kept * all.examples + added.examples;
  }
}

void save_sums(const std::vector<MapSums>& sums, StateWriter& to) {
  for (const MapSums& map : sums) {
    to.real(map.examples);
    to.real(map.solved);
    if (map.examples == 0.0) continue;
    to.u64(map.sums.size());
    map.sums.save(to);
  }
}

Status restore_sums(StateReader& from, std::span<const std::size_t> dimensions, std::size_t targets,
                    std::vector<MapSums>& into) {
  for (std::size_t map = 0; map < into.size(); ++map) {
    into[map].examples = from.real();
    into[map].solved = from.real();
    CAUCUS_CHECK(from.status());
    if (!is_amount(into[map].examples) || !is_amount(into[map].solved)) {
      return from.refuse("a number of examples");
    }
    if (into[map].examples == 0.0) continue;
    const std::uint64_t size = from.u64();
    CAUCUS_CHECK(from.status());
    if (size < targets || size > dimensions[map] + targets) return from.refuse("a size of sums");
    CAUCUS_CHECK(into[map].sums.restore(from, static_cast<std::size_t>(size)));
  }
  return from.status();
}

}  // namespace caucus
