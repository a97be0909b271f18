#include "caucus/simulation/hindsight/hindsight.hpp"

#include <algorithm>
#include <variant>

#include "caucus/simulation/hindsight/comparator.hpp"

namespace caucus {
namespace {

/// Calls visit(example) in the order of rounds, and mark(k) when rounds[k] are complete.
template <class Visit, class Mark>
void replay(const PartitionedData& data, std::span<const std::size_t> rounds, Visit visit,
            Mark mark) {
  std::size_t t = 0;
  for (std::size_t k = 0; k < rounds.size(); ++k) {
    for (; t < rounds[k]; ++t) {
      for (std::size_t j = 0; j < data.clients(); ++j) {
        if (t < data.rounds(j)) visit(data.example(j, t));
      }
    }
    mark(k);
  }
}

void record(const BestFit& fit, std::size_t k, std::size_t space, BestLosses& best) {
  best.at[k][space] = fit.loss;
  best.gap[space] = fit.gap;  // the value at the last round remains
}

void experts(const FeatureMaps& maps, const std::vector<std::size_t>& spaces, const Loss& loss,
             const PartitionedData& data, std::span<const std::size_t> rounds, BestLosses& best) {
  FeatureMaps::Workspace workspace(maps);
  std::vector<double> sums(spaces.size(), 0.0);
  replay(
      data, rounds,
      [&](const Example& example) {
        workspace.begin(example.x);
        for (std::size_t s = 0; s < spaces.size(); ++s) {
          sums[s] += loss.value(maps.expert_forecast(spaces[s], workspace), example.y);
        }
      },
      [&](std::size_t k) {
        for (std::size_t s = 0; s < spaces.size(); ++s) best.at[k][spaces[s]] = sums[s];
      });
}

std::vector<Region> regions_of(const FeatureMaps& maps, const std::vector<std::size_t>& spaces) {
  std::vector<Region> regions;
  regions.reserve(spaces.size());
  for (const std::size_t i : spaces) {
    regions.push_back(maps.space(i).region());
  }
  return regions;
}

void square(const FeatureMaps& maps, const std::vector<std::size_t>& spaces,
            const PartitionedData& data, std::span<const std::size_t> rounds, BestLosses& best) {
  FeatureMaps::Workspace workspace(maps);
  GramComparator gram(maps.dimension(spaces.front()));
  const auto regions = regions_of(maps, spaces);
  replay(
      data, rounds,
      [&](const Example& example) {
        workspace.begin(example.x);
        gram.add(maps.features(spaces.front(), workspace), example.y);
      },
      [&](std::size_t k) {
        const auto fits = gram.best(regions);
        for (std::size_t s = 0; s < spaces.size(); ++s) record(fits[s], k, spaces[s], best);
      });
}

void other(const FeatureMaps& maps, const std::vector<std::size_t>& spaces, const Loss& loss,
           const PartitionedData& data, std::span<const std::size_t> rounds, BestLosses& best) {
  FeatureMaps::Workspace workspace(maps);
  const auto regions = regions_of(maps, spaces);
  std::vector<float> z;
  std::vector<float> y;
  replay(
      data, rounds,
      [&](const Example& example) {
        workspace.begin(example.x);
        const auto features = maps.features(spaces.front(), workspace);
        z.insert(z.end(), features.begin(), features.end());
        y.push_back(static_cast<float>(example.y));
      },
      [&](std::size_t k) {
        const FeatureRows rows{z, maps.dimension(spaces.front()), y};
        for (std::size_t s = 0; s < spaces.size(); ++s) {
          record(best_in_hindsight(loss, rows, regions[s]), k, spaces[s], best);
        }
      });
}

}  // namespace

BestLosses best_losses(const FeatureMaps& maps, const Loss& loss, const PartitionedData& data,
                       std::span<const std::size_t> rounds) {
  BestLosses best{std::vector(rounds.size(), std::vector<double>(maps.size(), 0.0)),
                  std::vector<double>(maps.size(), 0.0)};
  for (std::size_t map = 0; map < maps.map_count(); ++map) {
    std::vector<std::size_t> spaces;
    for (std::size_t i = 0; i < maps.size(); ++i) {
      if (maps.map_of(i) == map) spaces.push_back(i);
    }
    if (maps.space(spaces.front()).kind == SpaceKind::expert) {
      experts(maps, spaces, loss, data, rounds, best);
    } else if (std::holds_alternative<SquareLoss>(loss.kind())) {
      square(maps, spaces, data, rounds, best);
    } else {
      other(maps, spaces, loss, data, rounds, best);
    }
  }
  return best;
}

}  // namespace caucus
