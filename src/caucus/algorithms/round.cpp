#include "caucus/algorithms/round.hpp"

#include "caucus/core/base/vector.hpp"

namespace caucus {

void BatchMean::begin(std::uint32_t client, std::span<const HeldModel> models) {
  examples_ = 0;
  report_.client = client;
  held_.clear();
  begin_.assign(1, 0);
  for (const HeldModel& model : models) {
    held_.push_back({model.space, 0.0F, 1.0F, {}});
    begin_.push_back(begin_.back() + model.weights.size());
  }
  losses_.assign(models.size(), 0.0);
  gradient_sums_.assign(begin_.back(), 0.0);
}

void BatchMean::add(std::size_t held, double loss, float derivative,
                    std::span<const float> features) {
  losses_[held] += loss;
  add_exact_product(std::span(gradient_sums_).subspan(begin_[held], features.size()), derivative,
                    features);
}

const Report& BatchMean::report() {
  const double n = examples_;
  const double share = 1.0 / n;
  report_.examples = examples_;
  gradients_.resize(gradient_sums_.size());
  for (std::size_t k = 0; k < gradients_.size(); ++k) {
    gradients_[k] = static_cast<float>(gradient_sums_[k] * share);
  }
  for (std::size_t a = 0; a < losses_.size(); ++a) {
    held_[a].loss = reported_loss(losses_[a] / n);
    held_[a].direction = std::span(gradients_).subspan(begin_[a], begin_[a + 1] - begin_[a]);
  }
  report_.held = held_;
  return report_;
}

}  // namespace caucus
