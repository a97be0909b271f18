#include "caucus/algorithms/baselines/hedge.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace caucus {

void hedge(Simplex& p, std::span<const double> losses, double rate) {
  const auto log_p = p.log_probabilities();
  std::vector<double> moved(log_p.begin(), log_p.end());
  // Only differences of losses count. Log weights stay finite for any rate and losses, so that a
  // weight can always recover.
  constexpr double kFarthest = 1e300;
  const double least = *std::min_element(losses.begin(), losses.end());
  for (std::size_t i = 0; i < moved.size(); ++i) {
    moved[i] = std::max(moved[i] - std::min(rate * (losses[i] - least), kFarthest), -kFarthest);
  }
  p = Simplex::from_log_weights(std::move(moved));
}

std::size_t draw_index(std::span<const double> probabilities, Stream& stream) {
  double left = stream.uniform();
  std::size_t drawn = 0;
  for (std::size_t i = 0; i < probabilities.size(); ++i) {
    if (probabilities[i] <= 0.0) continue;
    drawn = i;  // if the probabilities sum to less than 1 by rounding, the last index is drawn
    if (left < probabilities[i]) break;
    left -= probabilities[i];
  }
  return drawn;
}

double expectation(std::span<const double> p, std::span<const double> values) {
  double sum = 0.0;
  for (std::size_t i = 0; i < p.size(); ++i) sum += p[i] * values[i];
  return sum;
}

}  // namespace caucus
