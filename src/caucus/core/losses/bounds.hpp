// The paper's bounds whose constants are explicit, and the advice that follows from them. Its upper
// bounds hide constants and are therefore not evaluated.
#pragma once

#include <bit>
#include <cstddef>

namespace caucus {

/// 0.25 M sqrt(T ln K): as T grows, no algorithm, cooperative or not, has less worst-case regret
/// (paper, Theorem 4 (i)).
double lower_bound_any(double clients, double rounds, double models);

/// 0.1 M sqrt(K T / J): no noncooperative algorithm with O(J) work that plays one hypothesis has
/// less expected regret in the worst case, for 5 <= K <= min(d, T) (paper, Theorem 4 (ii)). The
/// paper adds M sqrt(0.5 T ln(M / delta)). That term is left out: the proof has a sign error there,
/// and with the term the bound for J = K would exceed the upper bound of Hedge.
double lower_bound_noncooperative(double clients, double rounds, double models, double sample_size);

/// sqrt((1 + q) / (1 + q / M)) with q = (K - J)/(J - 1): the largest factor by which collaboration
/// can reduce the regret; 1 for J = K.
double collaboration_gain(std::size_t clients, std::size_t models, std::size_t sample_size);

/// sqrt(1 + q / M): the factor by which sampling J instead of all K models increases the regret.
double sampling_price(std::size_t clients, std::size_t models, std::size_t sample_size);

/// ceil((K + M) / (M + 1)), at least 2 and at most K: the least J whose sampling price is at most
/// sqrt 2.
std::size_t advised_sample(std::size_t clients, std::size_t models);

/// ceil(log2 K): the bits of the index of one of K models.
inline std::size_t index_bits(std::size_t models) {
  return static_cast<std::size_t>(std::bit_width(models - 1));
}

}  // namespace caucus
