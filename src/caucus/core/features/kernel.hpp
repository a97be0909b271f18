// Shift-invariant kernels of width 1 and the distribution of their frequencies (Bochner):
//   k(x - v) = E[cos(omega (x - v))],  omega_l independent draws of frequency().
// A width s divides the distance and the frequencies. To add a kernel, write such a struct and add
// it to SpaceKind and draw_frequency().
#pragma once

#include "caucus/core/base/random.hpp"
#include "caucus/space.hpp"

namespace caucus {

struct GaussianKernel {  ///< prod_l exp(-delta_l^2 / 2), normal frequencies
  static double factor(double delta);
  static double frequency(Stream& stream);
};

struct LaplacianKernel {  ///< prod_l exp(-|delta_l|), Cauchy frequencies
  static double factor(double delta);
  static double frequency(Stream& stream);
};

struct CauchyKernel {  ///< prod_l 1 / (1 + delta_l^2), Laplace frequencies
  static double factor(double delta);
  static double frequency(Stream& stream);
};

/// Draws one coordinate of a random frequency of the kernel of width 1.
double draw_frequency(SpaceKind kernel, Stream& stream);

}  // namespace caucus
