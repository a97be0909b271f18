// A mirror map of your own: exponentiated gradient on the positive orthant. FomdNoLu accepts any
// map.
#include <cmath>
#include <cstdio>
#include <span>
#include <vector>

#include "caucus/fomd_no_lu.hpp"

struct PositiveOrthant {  ///< u > 0 with psi(u) = sum_k (u_k ln u_k - u_k) / rate
  using Decision = std::vector<double>;
  using Scalar = double;

  /// grad psi = ln u / rate, so that u_k <- u_k exp(-rate * gradient_k), which needs no projection.
  void descend(Decision& u, std::span<const double> gradient, double rate) const {
    for (std::size_t k = 0; k < u.size(); ++k) u[k] *= std::exp(-rate * gradient[k]);
  }
};
static_assert(caucus::MirrorMap<PositiveOrthant>);

int main() {
  // Two clients with the losses |u - a|^2 / 2: the optimum is the mean of their a.
  const std::vector<std::vector<double>> wishes = {{3.0, 0.5}, {1.0, 1.5}};
  caucus::FomdNoLu<PositiveOrthant> server({}, {1.0, 2.0});
  for (int r = 0; r < 200; ++r) {
    for (const auto& wish : wishes) {
      const auto& u = server.decision();
      server.receive(std::vector<double>{u[0] - wish[0], u[1] - wish[1]});
    }
    server.step(0.3);
  }
  const auto& u = server.decision();
  std::printf("the clients agree on (%.4f, %.4f)\n", u[0], u[1]);
  return std::abs(u[0] - 2.0) < 1e-6 && std::abs(u[1] - 1.0) < 1e-6 ? 0 : 1;
}
