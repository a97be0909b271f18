// A loss of your own: ln cosh(v - y), smooth near the target and linear far from it. Here it trains
// a linear model; see docs/extending.md for how to give it a name on the command line.
#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>

#include "caucus/ball.hpp"
#include "caucus/core/base/random.hpp"
#include "caucus/core/base/vector.hpp"
#include "caucus/fomd_no_lu.hpp"

struct LogCoshLoss {  ///< ln cosh(v - y)
  static double value(double v, double y) {
    const double r = std::abs(v - y);  // ln cosh r = r + ln(1 + e^-2r) - ln 2 does not overflow
    return r + std::log1p(std::exp(-2.0 * r)) - std::numbers::ln2;
  }
  static double derivative(double v, double y) { return std::tanh(v - y); }
  static double largest(double V, double Y) { return value(V, -Y); }
  static double steepest(double V, double Y) { return std::tanh(V + Y); }
};

int main() {
  const std::vector<float> truth = {0.5F, -0.25F};
  caucus::FomdNoLu<caucus::Ball> server(caucus::Ball{1.0}, std::vector<float>(2, 0.0F));
  double late = 0.0;
  for (std::uint32_t t = 1; t <= 2000; ++t) {
    for (std::uint32_t client = 0; client < 3; ++client) {
      caucus::Stream stream({.seed = 1, .round = t, .client = client});
      std::vector<float> x = {static_cast<float>(stream.normal()),
                              static_cast<float>(stream.normal())};
      const double y = caucus::dot(truth, x);
      const double v = caucus::dot(server.decision(), x);
      if (t > 1000) late += LogCoshLoss::value(v, y) / 3000.0;
      caucus::scale(x, static_cast<float>(LogCoshLoss::derivative(v, y)));
      server.receive(x);
    }
    server.step(1.0 / std::sqrt(t));
  }
  // The derivative is that of the value, and the two constants bound |v| <= 2, |y| <= 1.
  bool right = late < 1e-3;
  for (int k = -16; k <= 16; ++k) {
    const double v = k / 8.0;
    const double slope =
        (LogCoshLoss::value(v + 1e-5, 1.0) - LogCoshLoss::value(v - 1e-5, 1.0)) / 2e-5;
    right = right && std::abs(slope - LogCoshLoss::derivative(v, 1.0)) < 1e-8 &&
            LogCoshLoss::value(v, 1.0) <= LogCoshLoss::largest(2.0, 1.0) &&
            std::abs(slope) <= LogCoshLoss::steepest(2.0, 1.0) + 1e-8;
  }
  std::printf("mean loss of the last 1000 rounds: %.2g\n", late);
  return right ? 0 : 1;
}
