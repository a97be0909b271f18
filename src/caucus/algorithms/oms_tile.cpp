#include "caucus/algorithms/oms_tile.hpp"

#include <algorithm>
#include <utility>

#include "caucus/core/vector.hpp"

namespace caucus {

Assignment& OmsTile::begin_client() {
  if (clients_ == assignments_.size()) assignments_.emplace_back();
  first_ = true;
  return assignments_[clients_++];
}

void OmsTile::add(std::size_t round, std::span<const float> x, double y, bool last) {
  const Assignment& assignment = assignments_[clients_ - 1];
  examples_.push_back({x, clients_ - 1, requests_.size(), first_, last});
  played_.push_back({assignment.client, round, 0.0, y});
  first_ = false;
  features_.begin_example(x);
  for (const HeldModel& model : assignment.held) {
    requests_.push_back(features_.request(model.space));
    weights_.push_back(model.weights.data());
    sizes_.push_back(model.weights.size());
    floats_ += model.weights.size();
  }
}

void OmsTile::compute() {
  features_.compute();
  const std::size_t pairs = requests_.size();
  directions_.resize(pairs);
  outputs_.resize(pairs);
  losses_.resize(pairs);
  derivatives_.resize(pairs);
  held_.resize(pairs);
  for (std::size_t p = 0; p < pairs; ++p) directions_[p] = features_.features(requests_[p]).data();
  compute_outputs();
  compute_losses();
}

void OmsTile::compute_outputs() {
  for (std::size_t p = 0; p < sizes_.size();) {  // those of the same size together
    std::size_t end = p + 1;
    while (end < sizes_.size() && sizes_[end] == sizes_[p]) ++end;
    const std::size_t count = end - p;
    dots(std::span(weights_).subspan(p, count), std::span(directions_).subspan(p, count), sizes_[p],
         std::span(outputs_).subspan(p, count));
    p = end;
  }
  for (std::size_t e = 0; e < examples_.size(); ++e) {
    const Example& example = examples_[e];
    const auto& held = assignments_[example.assignment].held;
    double output = 0.0;
    for (std::size_t a = 0; a < held.size(); ++a) {
      double& v = outputs_[example.pair + a];
      // Only a frozen expert has no features.
      if (sizes_[example.pair + a] == 0) v = plan_->maps.expert_forecast(held[a].space, example.x);
      v = finite_forecast(v);
      output += held[a].share * v;
    }
    played_[e].output = output;
  }
}

void OmsTile::compute_losses() {
  plan_->loss.with_kind([&](const auto& loss) {
    for (std::size_t e = 0; e < examples_.size(); ++e) {
      const double y = played_[e].y;
      const std::size_t end = e + 1 < examples_.size() ? examples_[e + 1].pair : requests_.size();
      for (std::size_t p = examples_[e].pair; p < end; ++p) {
        losses_[p] = loss.value(outputs_[p], y);
        derivatives_[p] = static_cast<float>(loss.derivative(outputs_[p], y));
      }
    }
  });
}

void OmsTile::make_reports() {
  reports_.clear();
  direct_.resize(std::max(direct_.size(), clients_));
  means_.resize(std::max(means_.size(), clients_));
  for (std::size_t e = 0; e < examples_.size();) {
    const std::size_t client = examples_[e].assignment;
    std::size_t end = e + 1;
    while (end < examples_.size() && examples_[end].assignment == client) ++end;
    const bool alone = examples_[e].first && examples_[e].last;
    reports_.push_back(alone ? direct_report(client, e) : mean_report(client, e, end));
    e = end;
  }
}

const Report* OmsTile::direct_report(std::size_t client, std::size_t example) {
  const auto& held = assignments_[client].held;
  const std::size_t first = examples_[example].pair;
  for (std::size_t a = 0; a < held.size(); ++a) {
    const std::size_t p = first + a;
    held_[p] = {
        held[a].space, reported_loss(losses_[p]), derivatives_[p], {directions_[p], sizes_[p]}};
  }
  direct_[client] = {assignments_[client].client, 1, std::span(held_).subspan(first, held.size())};
  return &direct_[client];
}

const Report* OmsTile::mean_report(std::size_t client, std::size_t example, std::size_t end) {
  const Assignment& assignment = assignments_[client];
  BatchMean& mean = means_[client];
  if (examples_[example].first) mean.begin(assignment);
  const std::size_t J = assignment.held.size();
  const std::size_t count = end - example;
  some_losses_.resize(count);
  some_derivatives_.resize(count);
  some_directions_.resize(count);
  for (std::size_t a = 0; a < J; ++a) {
    for (std::size_t n = 0; n < count; ++n) {
      const std::size_t p = examples_[example].pair + n * J + a;
      some_losses_[n] = losses_[p];
      some_derivatives_[n] = derivatives_[p];
      some_directions_[n] = directions_[p];
    }
    mean.add(a, some_losses_, some_derivatives_, some_directions_);
  }
  mean.end_examples(count);
  return examples_[end - 1].last ? &mean.report() : nullptr;
}

void OmsTile::clear() {
  // A client whose batch goes on keeps its assignment and its sums.
  if (!examples_.back().last) {
    std::swap(assignments_.front(), assignments_[clients_ - 1]);
    std::swap(means_.front(), means_[clients_ - 1]);
    clients_ = 1;
  } else {
    clients_ = 0;
  }
  examples_.clear();
  played_.clear();
  requests_.clear();
  weights_.clear();
  sizes_.clear();
  features_.clear();
  floats_ = 0;
}

}  // namespace caucus
