// The exact kernels, for tests of random features.
#pragma once

#include <cassert>
#include <span>

#include "caucus/core/features/kernel.hpp"

namespace caucus {

inline double kernel_value(SpaceKind kernel, double width, std::span<const float> x,
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
