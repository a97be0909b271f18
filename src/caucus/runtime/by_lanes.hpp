// Many clients at once where the models lie side by side: LaneTile for batches of one round.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "caucus/algorithms/lane_tile.hpp"
#include "caucus/core/sampling.hpp"
#include "caucus/runtime/clients.hpp"
#include "caucus/runtime/example_source.hpp"

namespace caucus {

/// An algorithm whose models can lie side by side.
template <class A>
concept LaneClients = requires(const A& shared, const Batch& batch, ClientSampler& sampler,
                               const LaneReports& reports, typename A::Aggregate& aggregate) {
  { shared.lanes() } -> std::same_as<const ModelLanes*>;
  { shared.assign_set(batch, std::uint32_t{}, sampler) } -> std::same_as<HeldSet>;
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
    clients.each(batch, 0, clients.source->clients(), [&](std::uint32_t client, std::size_t) {
      if (tile_.full()) hand_in(shared, batch, clients, receive);
      const Example example = clients.source->example(client, batch.first);
      tile_.add(client, batch.first, shared.assign_set(batch, client, sampler_), example.x,
                example.y);
    });
    if (!tile_.empty()) hand_in(shared, batch, clients, receive);
  }

 private:
  template <class Source, class Receive>
  void hand_in(const A& shared, const Batch& batch, Clients<Source>& clients, Receive&& receive) {
    const std::size_t last = tile_.forecasts().back().client + 1;
    clients.fetch(last, tile_.forecasts().size(), batch.first);
    tile_.compute(*shared.lanes());
    clients.record(tile_.forecasts());
    const std::size_t models = tile_.forecasts().size() * shared.sampled();
    const HeldSize size{tile_.forecasts().size(), models, models * shared.lanes()->dimension()};
    clients.telemetry->sent(shared.upload_bits(size), shared.download_bits(size));
    if (clients.dropout.probability > 0.0) {
      tile_.drop([&](std::uint32_t client) { return clients.template loses<A>(batch, client); });
    }
    receive(tile_.reports());
    tile_.clear();
  }

  ClientSampler sampler_;
  LaneTile tile_;
};

}  // namespace caucus
