#include "caucus/algorithms/oms_tile.hpp"

#include <utility>

namespace caucus {

Assignment& OmsTile::begin_client() {
  if (clients_ == assignments_.size()) assignments_.emplace_back();
  first_ = true;
  return assignments_[clients_++];
}

void OmsTile::add(std::size_t round, std::span<const float> x, double y, bool last) {
  const Assignment& assignment = assignments_[clients_ - 1];
  examples_.push_back({round, y, x, clients_ - 1, requests_.size(), first_, last});
  first_ = false;
  features_.begin_example(x);
  for (const HeldModel& model : assignment.held) {
    requests_.push_back(features_.request(model.space));
    features_held_ += model.weights.size();
  }
}

double OmsTile::evaluate(const Example& example, const Assignment& assignment) {
  const std::size_t J = assignment.held.size();
  is_direct_ = example.first && example.last;
  if (is_direct_) {
    direct_.client = assignment.client;
    direct_.examples = 1;
    direct_.held.resize(J);
  } else if (example.first) {
    mean_.begin(assignment);
  }
  double output = 0.0;
  for (std::size_t a = 0; a < J; ++a) {
    const HeldModel& model = assignment.held[a];
    const auto features = features_.features(requests_[example.request + a]);
    const double v = held_output(*plan_, model, example.x, features);
    output += model.share * v;
    const auto [loss, derivative] = plan_->loss.value_and_derivative(v, example.y);
    if (is_direct_) {
      direct_.held[a] = {model.space, reported_loss(loss), static_cast<float>(derivative),
                         features};
    } else {
      mean_.add(a, loss, static_cast<float>(derivative), features);
    }
  }
  if (!is_direct_) mean_.end_example();
  return output;
}

const Report& OmsTile::finish() { return is_direct_ ? direct_ : mean_.report(); }

void OmsTile::clear() {
  // A client whose batch goes on keeps its assignment.
  if (!examples_.empty() && !examples_.back().last) {
    std::swap(assignments_.front(), assignments_[clients_ - 1]);
    clients_ = 1;
  } else {
    clients_ = 0;
  }
  examples_.clear();
  requests_.clear();
  features_.clear();
  features_held_ = 0;
}

}  // namespace caucus
