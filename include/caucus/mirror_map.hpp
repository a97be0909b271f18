// A mirror map: the decision set Omega and the regularizer psi of online mirror descent, given by
// the one operation that the framework needs,
//   grad psi(u_bar) = grad psi(u) - rate * g,   u <- argmin over Omega of D_psi(u', u_bar).
// A map of your own is one small type like those in ball.hpp and box.hpp.
#pragma once

#include <concepts>
#include <span>

namespace caucus {

template <class Map>
concept MirrorMap = requires(const Map map, typename Map::Decision& u,
                             std::span<const typename Map::Scalar> gradient, double rate) {
  requires std::floating_point<typename Map::Scalar>;
  {map.descend(u, gradient, rate)};
};

}  // namespace caucus
