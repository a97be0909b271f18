#include "caucus/core/features/kernel.hpp"

#include <cassert>
#include <cmath>

namespace caucus {

double GaussianKernel::factor(double delta) { return std::exp(-0.5 * delta * delta); }
double GaussianKernel::frequency(Stream& stream) { return stream.normal(); }

double LaplacianKernel::factor(double delta) { return std::exp(-std::abs(delta)); }
double LaplacianKernel::frequency(Stream& stream) { return stream.cauchy(); }

double CauchyKernel::factor(double delta) { return 1.0 / (1.0 + delta * delta); }
double CauchyKernel::frequency(Stream& stream) { return stream.laplace(); }

double draw_frequency(SpaceKind kernel, Stream& stream) {
  switch (kernel) {
    case SpaceKind::laplacian:
      return LaplacianKernel::frequency(stream);
    case SpaceKind::cauchy:
      return CauchyKernel::frequency(stream);
    default:
      assert(kernel == SpaceKind::gaussian);
      return GaussianKernel::frequency(stream);
  }
}

}  // namespace caucus
