#include "caucus/engine/curve_recorder.hpp"

#include <cmath>

namespace caucus {

std::size_t next_curve_round(std::size_t round) {
  for (int k = 0;; ++k) {
    const auto spaced = static_cast<std::size_t>(std::llround(std::pow(10.0, k / 10.0)));
    if (spaced > round) return spaced;
  }
}

}  // namespace caucus
