#include "caucus/algorithms/round.hpp"

#include <algorithm>
#include <limits>

namespace caucus {

void BatchMean::begin(const Assignment& assignment) {
  examples_ = 0;
  report_.client = assignment.client;
  report_.spaces.clear();
  begin_.assign(1, 0);
  for (const HeldModel& model : assignment.held) {
    report_.spaces.push_back(model.space);
    begin_.push_back(begin_.back() + model.weights.size());
  }
  losses_.assign(assignment.held.size(), 0.0);
  gradients_.assign(begin_.back(), 0.0);
}

void BatchMean::add(std::size_t held, double loss, float derivative,
                    std::span<const float> features) {
  losses_[held] += loss;
  double* gradient = gradients_.data() + begin_[held];
  const auto factor = static_cast<double>(derivative);
  for (std::size_t k = 0; k < features.size(); ++k) {
    gradient[k] += factor * static_cast<double>(features[k]);
  }
}

const Report& BatchMean::report() {
  constexpr auto kLargest = static_cast<double>(std::numeric_limits<float>::max());
  const double n = examples_;
  report_.examples = examples_;
  report_.losses.resize(losses_.size());
  report_.gradients.resize(gradients_.size());
  for (std::size_t a = 0; a < losses_.size(); ++a) {
    report_.losses[a] = static_cast<float>(std::clamp(losses_[a] / n, -kLargest, kLargest));
  }
  for (std::size_t k = 0; k < gradients_.size(); ++k) {
    report_.gradients[k] = static_cast<float>(gradients_[k] / n);
  }
  return report_;
}

}  // namespace caucus
