// Many clients at once where the models lie side by side: LaneTile for batches of one round.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>

#include "caucus/algorithms/lane_tile.hpp"
#include "caucus/core/sampling/sampling.hpp"
#include "caucus/engine/clients.hpp"
#include "caucus/engine/example_source.hpp"

namespace caucus {

/// An algorithm whose models can lie side by side.
template <class A>
concept LaneClients = requires(const A& shared, const Batch& batch, ClientSampler& sampler,
                               const LaneReports& reports, typename A::Aggregate& aggregate) {
  { shared.lanes() } -> std::same_as<const ModelLanes*>;
  shared.assign_sets(batch, std::uint32_t{}, std::size_t{}, std::size_t{}, sampler, HeldSets{});
  shared.aggregate(reports, aggregate);
};

template <LaneClients A>
class ByLanes {
 public:
  explicit ByLanes(const A& algorithm)
      : sampler_(algorithm.new_sampler()), tile_(algorithm.plan()) {}

  static bool can(const A& shared, const Batch& batch) {
    return shared.lanes() != nullptr && batch.last - batch.first == 1;
  }

  template <class Source, class Receive>
  void ask(const A& shared, const Batch& batch, Clients<Source>& clients, Receive&& receive) {
    const std::size_t end = clients.source->clients();
    std::size_t next = 0;  // client to be asked
    for (bool first = true; next < end; first = false) {
      tile_.clear();
      next = fill(clients, batch.first, next);
      if (tile_.empty()) break;
      clients.fetch(next, tile_.size(), batch.first);
      tile_.compute(*shared.lanes(), [&](std::uint32_t client, std::size_t count, HeldSets into) {
        shared.assign_sets(batch, client, count, end, sampler_, into);
      });
      clients.record(tile_.forecasts(batch.first));
      const std::size_t models = tile_.size() * shared.sampled();
      const HeldSize size{tile_.size(), models, models * shared.lanes()->dimension()};
      clients.telemetry->sent(shared.upload_bits(size), shared.download_bits(size));
      if (clients.dropout.probability > 0.0) {
        tile_.drop([&](std::uint32_t client) { return clients.template loses<A>(batch, client); });
      }
      LaneReports reports = tile_.reports();
      reports.lasting = first && next == end;
      receive(reports);
    }
  }

 private:
  /// Examples of the clients from `next` on until the tile is full; gives the client after them.
  template <class Source>
  std::size_t fill(const Clients<Source>& clients, std::size_t round, std::size_t next) {
    const std::size_t end = clients.source->clients();
    if constexpr (requires { clients.source->rows_of(round); }) {
      const auto table = clients.source->rows_of(round);
      if (table.rows != nullptr && tile_.takes_rows()) {
        const std::size_t count = std::min(LaneTile::kExamples, end - next);
        tile_.add_rows(static_cast<std::uint32_t>(next), count, table.stride - 1,
                       [=](std::size_t c) { return table[next + c]; });
        return next + count;
      }
    }
    for (; next < end && !tile_.full(); ++next) {
      if (round >= clients.source->rounds(next)) continue;
      const Example example = clients.source->example(next, round);
      tile_.add(static_cast<std::uint32_t>(next), example.x, example.y);
    }
    return next;
  }

  ClientSampler sampler_;
  LaneTile tile_;
};

}  // namespace caucus
