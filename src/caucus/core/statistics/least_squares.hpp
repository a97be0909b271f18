// Minimises w'Aw - 2 b'w + sum_k ridge_k w_k^2 exactly over the set of a space, where S = [s b'; b
// A] are the sums of row_sums.hpp. With several targets each has its own b and w, one w after
// another, and all share A, which is factorized once. Eigen is used in the .cpp file only.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "caucus/core/mirror/region.hpp"
#include "caucus/core/solvers/symmetric_matrix.hpp"

namespace caucus {

/// The ridge of the first coordinates may differ from that of the others.
struct Ridge {
  double value = 0.0;
  std::size_t first = 0;  ///< number of the first coordinates
  double of_first = 0.0;
};

/// The region of each w is a ball or a box. Returns false, and leaves w, if the numbers do not
/// allow a finite solution. The sums may have fewer coordinates than w: those without data have the
/// weight 0, and only the others take time.
bool solve_least_squares(const SymmetricMatrix& sums, const Ridge& ridge, const Region& region,
                         std::span<double> w, std::size_t targets = 1);

/// Returns whether sums of v v' are positive semidefinite, up to the rounding of floats: the sum of
/// v_i v_j may be wrong by a small part of sqrt((sum of v_i^2) (sum of v_j^2)), and by 1e-8 of the
/// trace, since rows may have been removed.
bool is_semidefinite(const SymmetricMatrix& sums);

/// Returns w'Aw - 2 b'w + s, the sum of (<w, z> - y)^2 over the examples of S and over the targets,
/// for the leading coordinates of each w that S has.
double sum_of_squares(const SymmetricMatrix& sums, std::span<const double> w,
                      std::size_t targets = 1);

}  // namespace caucus
