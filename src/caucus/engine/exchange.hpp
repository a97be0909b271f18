// An Exchange carries Assignments to the clients and brings their Reports back, in client order.
// In-process here; over a network elsewhere. The same seed gives the same bits through every one.
#pragma once

#include <cstdint>

#include "caucus/algorithms/algorithm.hpp"

namespace caucus {

template <class E, class A>
concept ExchangeFor = Algorithm<A> && requires(E& exchange, A& algorithm, const Batch& batch) {
  exchange.ask(
      algorithm, batch, [](std::uint32_t, typename A::Assignment&) {},
      [](const typename A::Report&) {});
};

}  // namespace caucus
