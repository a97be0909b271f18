// A kernel of your own: the sinc kernel, whose frequencies are uniform on [-1, 1].
#include <cmath>
#include <cstdio>

#include "caucus/core/base/random.hpp"

struct SincKernel {  ///< prod_l sin(delta_l) / delta_l, frequencies uniform on [-1, 1]
  static double factor(double delta) { return delta == 0.0 ? 1.0 : std::sin(delta) / delta; }
  static double frequency(caucus::Stream& stream) { return 2.0 * stream.uniform() - 1.0; }
};

int main() {
  // Bochner: the mean of cos(frequency * delta) must be the factor.
  constexpr int kDraws = 200000;
  double worst = 0.0;
  for (const double delta : {0.0, 0.5, 1.0, 3.0, 10.0}) {
    caucus::Stream stream({.seed = 1});
    double mean = 0.0;
    for (int i = 0; i < kDraws; ++i) {
      mean += std::cos(SincKernel::frequency(stream) * delta) / kDraws;
    }
    worst = std::max(worst, std::abs(mean - SincKernel::factor(delta)));
  }
  std::printf("largest difference between the kernel and its frequencies: %.2g\n", worst);
  return worst < 4.0 / std::sqrt(kDraws) ? 0 : 1;
}
