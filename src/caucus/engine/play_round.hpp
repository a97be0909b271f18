// The engine: one batch of the protocol, whatever the algorithm and however messages travel.
#pragma once

#include <cstdint>

#include "caucus/engine/exchange.hpp"

namespace caucus {

template <Algorithm A, ExchangeFor<A> E>
void play_round(A& server, E& exchange, const Batch& batch, typename A::Aggregate& aggregate) {
  aggregate.clear();
  exchange.ask(
      server, batch,
      [&](std::uint32_t client, typename A::Assignment& into) {
        server.assign(batch, client, into);
      },
      [&](const auto& reports) { server.aggregate(reports, aggregate); });
  server.step(batch, aggregate);
}

}  // namespace caucus
