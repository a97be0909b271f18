#include "caucus/simulation/curve.hpp"

#include <cmath>

namespace caucus {

std::vector<std::size_t> log_spaced_rounds(std::size_t rounds) {
  std::vector<std::size_t> spaced;
  for (int k = 0;; ++k) {
    const auto round = static_cast<std::size_t>(std::llround(std::pow(10.0, k / 10.0)));
    if (round >= rounds) break;
    if (spaced.empty() || round > spaced.back()) spaced.push_back(round);
  }
  if (rounds > 0) spaced.push_back(rounds);
  return spaced;
}

}  // namespace caucus
