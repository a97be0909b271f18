// What the theory promises and forbids, where the constants are explicit, and the advice that
// follows from it. The paper's upper bounds hide constants, so no number is made of them.
#pragma once

#include <bit>
#include <cstddef>

namespace caucus {

/// 0.25 M sqrt(T ln K): no algorithm, cooperative or not, has less worst-case regret as T grows
/// (paper, Theorem 4 (i)).
double lower_bound_any(double clients, double rounds, double models);

/// 0.1 M sqrt(K T / J): no noncooperative algorithm with O(J) work that plays one hypothesis has
/// less expected regret in the worst case, for 5 <= K <= min(d, T) (paper, Theorem 4 (ii)). The
/// paper adds M sqrt(0.5 T ln(M / delta)); its proof has a sign error there, and with it the bound
/// for J = K would exceed the upper bound of Hedge, so it is left out.
double lower_bound_noncooperative(double clients, double rounds, double models, double sampled);

/// sqrt((1 + q) / (1 + q / M)), q = (K - J)/(J - 1): by how much collaboration can at best divide
/// the regret; 1 for J = K.
double collaboration_gain(std::size_t clients, std::size_t models, std::size_t sampled);

/// sqrt(1 + q / M): what sampling J instead of all K costs, as a factor on the regret.
double sampling_price(std::size_t clients, std::size_t models, std::size_t sampled);

/// ceil((K + M) / (M + 1)), at least 2 and at most K: the least J whose sampling price is at most
/// sqrt 2.
std::size_t advised_sample(std::size_t clients, std::size_t models);

/// ceil(log2 K): bits that name one of K models.
inline std::size_t index_bits(std::size_t models) {
  return static_cast<std::size_t>(std::bit_width(models - 1));
}

}  // namespace caucus
