// Rejects sums of v v', v = sqrt(h) (t, z), that no examples can have. With n examples, |z| <= b,
// weights h <= H (1 for the square loss) and a model with |f| <= V and weights w the conditions are
//   S is positive semidefinite
//   trace A <= H n b^2, and for the square loss the sum of the intercept's squares is n
//   s <= n Y^2 for the square loss, else s <= n (sqrt(H) V + sqrt(C))^2 with a loss of at most C
// and where all coordinates of w are in the sums, with the reported mean loss c and the loss's
// steepest slope L,
//   n c = w'Aw - 2 b'w + s for the square loss
//   2 |Aw - b| <= n L b for the others, since that is the gradient of their sum
// If each class has an output, y is a vector of shares of the classes that sum to 1, the products
// of two of them may be positive only where rare classes are hidden, and the loss is a sum over
// them.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "caucus/core/solvers/symmetric_matrix.hpp"
#include "caucus/loss.hpp"

namespace caucus {

// Clients compute in floats, so bounds hold only up to this relative error.
inline constexpr double kRounding = 1e-3;
inline constexpr double kTiny = 1e-30;

inline bool is_square(const Loss& loss) { return loss.is_square(); }
/// Says that a value is beyond its bound.
std::string beyond(const char* what, double value, double bound);

/// The sums that a client claims, and the limits that they are checked against.
struct SumsClaim {
  const Loss* loss = nullptr;
  double examples = 0.0;       ///< n
  double feature_bound = 1.0;  ///< b
  double target_bound = 1.0;   ///< Y
  double reach = 0.0;          ///< V
  /// The coordinate of z that is always 1, if there is one among the sums.
  std::optional<std::size_t> intercept = {};
};

/// Returns what is wrong with sums, or nullopt.
std::optional<std::string> fault_in_sums(const SymmetricMatrix& sums, const SumsClaim& claim);

/// Does the same for sums of all coordinates of a model that was sent, and its reported mean loss.
std::optional<std::string> fault_in_loss(const SymmetricMatrix& sums, const SumsClaim& claim,
                                         std::span<const double> weights, double mean_loss);

}  // namespace caucus
