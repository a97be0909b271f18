#include "caucus/core/losses/bounds.hpp"

#include <algorithm>
#include <cmath>

#include "caucus/core/mirror/schedule.hpp"

namespace caucus {

double lower_bound_any(double clients, double rounds, double models) {
  return 0.25 * clients * std::sqrt(rounds * std::log(models));
}

double lower_bound_noncooperative(double clients, double rounds, double models,
                                  double sample_size) {
  return 0.1 * clients * std::sqrt(models * rounds / sample_size);
}

double collaboration_gain(std::size_t clients, std::size_t models, std::size_t sample_size) {
  const double q = unseen_ratio(models, sample_size);
  return std::sqrt((1.0 + q) / (1.0 + q / static_cast<double>(clients)));
}

double sampling_price(std::size_t clients, std::size_t models, std::size_t sample_size) {
  return std::sqrt(1.0 + unseen_ratio(models, sample_size) / static_cast<double>(clients));
}

std::size_t advised_sample(std::size_t clients, std::size_t models) {
  if (models <= 2) return models;
  return std::clamp<std::size_t>((models + clients + clients) / (clients + 1), 2, models);
}

}  // namespace caucus
