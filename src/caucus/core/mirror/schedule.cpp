#include "caucus/core/mirror/schedule.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace caucus {

double unseen_ratio(std::size_t models, std::size_t sample_size) {
  if (models == sample_size) return 0.0;
  return static_cast<double>(models - sample_size) / static_cast<double>(sample_size - 1);
}

TheorySchedule::TheorySchedule(const ProblemSize& size, std::vector<SpaceConstants> spaces)
    : size_(size),
      spaces_(std::move(spaces)),
      q_(unseen_ratio(size.models, size.sample_size)),
      s_(1.0 + q_ / size.clients) {
  const double T = size_.horizon;
  const auto K = static_cast<double>(size_.models);
  const double most = q_ > 0.0 ? 1.0 / (2.0 * q_) : std::numeric_limits<double>::infinity();
  eta_ = std::min(std::sqrt(std::log(K * T)) / (2.0 * std::sqrt(s_ * T)), most);
}

double TheorySchedule::model_rate(std::size_t batch, std::size_t space) const {
  const SpaceConstants& c = spaces_[space];
  const double t = std::max(q_ * q_, static_cast<double>(batch));
  return c.radius / (2.0 * c.gradient_bound * std::sqrt(s_ * t));
}

Simplex TheorySchedule::first_probabilities() const {
  const auto K = static_cast<double>(size_.models);
  const double floor = 1.0 / std::sqrt(K * size_.horizon);
  const double rest = std::max(0.0, 1.0 - std::sqrt(K / size_.horizon));
  const auto smaller = [](const SpaceConstants& a, const SpaceConstants& b) {
    return a.loss_bound < b.loss_bound;
  };
  const double least = std::min_element(spaces_.begin(), spaces_.end(), smaller)->loss_bound;
  const auto is_least = [&](const SpaceConstants& c) { return c.loss_bound == least; };
  const auto share =
      rest / static_cast<double>(std::count_if(spaces_.begin(), spaces_.end(), is_least));
  std::vector<double> log_p;
  log_p.reserve(spaces_.size());
  for (const SpaceConstants& c : spaces_) {
    log_p.push_back(std::log(floor + (is_least(c) ? share : 0.0)));
  }
  return Simplex::from_log_weights(std::move(log_p));
}

}  // namespace caucus
