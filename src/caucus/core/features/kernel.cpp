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

double kernel_value(SpaceKind kernel, double width, std::span<const float> x,
                    std::span<const float> v) {
  double product = 1.0;
  for (std::size_t l = 0; l < x.size(); ++l) {
    const double delta = (static_cast<double>(x[l]) - static_cast<double>(v[l])) / width;
    switch (kernel) {
      case SpaceKind::laplacian:
        product *= LaplacianKernel::factor(delta);
        break;
      case SpaceKind::cauchy:
        product *= CauchyKernel::factor(delta);
        break;
      default:
        assert(kernel == SpaceKind::gaussian);
        product *= GaussianKernel::factor(delta);
    }
  }
  return product;
}

}  // namespace caucus
