#include "caucus/algorithms/oms_tile.hpp"

#include <algorithm>
#include <utility>

#include "caucus/core/vector.hpp"

namespace caucus {

OmsTile::OmsTile(const Plan& plan)
    : plan_(&plan), features_(plan.maps), examples_(kExamples), played_(kExamples) {
  for (std::size_t i = 0; i < plan.maps.size(); ++i) {
    same_dimension_ = same_dimension_ && plan.maps.dimension(i) == plan.maps.dimension(0);
  }
}

Assignment& OmsTile::begin_client() {
  if (clients_ == assignments_.size()) {
    assignments_.emplace_back();
    direct_.emplace_back();
    means_.emplace_back();
  }
  first_ = true;
  return assignments_[clients_++];
}

void OmsTile::make_room(std::size_t pairs) {
  if (pairs <= held_.size()) return;
  const std::size_t room = 2 * pairs;
  weights_.resize(room);
  directions_.resize(room);
  outputs_.resize(room);
  losses_.resize(room);
  held_.resize(room);
}

void OmsTile::add(std::size_t round, std::span<const float> x, double y, bool last) {
  const Assignment& assignment = assignments_[clients_ - 1];
  examples_[count_] = {x, clients_ - 1, pairs_, first_, last};
  played_[count_] = {assignment.client, round, 0.0, y};
  ++count_;
  first_ = false;
  make_room(pairs_ + assignment.held.size());
  features_.begin_example(x);
  for (const HeldModel& model : assignment.held) {
    const auto phi = features_.request(model.space);
    weights_[pairs_] = model.weights.data();
    directions_[pairs_] = phi.data();
    held_[pairs_] = {model.space, 0.0F, 0.0F, phi};
    floats_ += phi.size();
    ++pairs_;
  }
}

void OmsTile::compute_outputs() {
  for (std::size_t p = 0; p < pairs_;) {  // those of the same size together
    const std::size_t size = held_[p].direction.size();
    std::size_t end = same_dimension_ ? pairs_ : p + 1;
    while (end < pairs_ && held_[end].direction.size() == size) ++end;
    const std::size_t count = end - p;
    dots(std::span(weights_).subspan(p, count), std::span(directions_).subspan(p, count), size,
         std::span(outputs_).subspan(p, count));
    p = end;
  }
  for (std::size_t e = 0; e < count_; ++e) {
    const Example& example = examples_[e];
    double output = 0.0;
    std::size_t p = example.pair;
    for (const HeldModel& model : assignments_[example.assignment].held) {
      double v = outputs_[p];
      // Only a frozen expert has no features.
      if (model.weights.empty()) v = plan_->maps.expert_forecast(model.space, example.x);
      outputs_[p] = v = finite_forecast(v);
      output += model.share * v;
      ++p;
    }
    played_[e].output = output;
  }
}

void OmsTile::compute_losses() {
  plan_->loss.with_kind([&](const auto& loss) {
    for (std::size_t e = 0; e < count_; ++e) {
      const double y = played_[e].y;
      const std::size_t end = e + 1 < count_ ? examples_[e + 1].pair : pairs_;
      for (std::size_t p = examples_[e].pair; p < end; ++p) {
        losses_[p] = loss.value(outputs_[p], y);
        held_[p].loss = reported_loss(losses_[p]);
        held_[p].factor = static_cast<float>(loss.derivative(outputs_[p], y));
      }
    }
  });
}

void OmsTile::make_reports() {
  reports_.clear();
  for (std::size_t e = 0; e < count_;) {
    const Example& example = examples_[e];
    const std::size_t client = example.assignment;
    if (example.first && example.last) {
      reports_.push_back(direct_report(example));
      ++e;
      continue;
    }
    std::size_t end = e + 1;
    while (end < count_ && examples_[end].assignment == client) ++end;
    reports_.push_back(mean_report(client, e, end));
    e = end;
  }
}

const Report* OmsTile::direct_report(const Example& example) {
  const Assignment& assignment = assignments_[example.assignment];
  Report& report = direct_[example.assignment];
  report = {assignment.client, 1, {held_.data() + example.pair, assignment.held.size()}};
  return &report;
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
      some_derivatives_[n] = held_[p].factor;
      some_directions_[n] = directions_[p];
    }
    mean.add(a, some_losses_, some_derivatives_, some_directions_);
  }
  mean.end_examples(count);
  return examples_[end - 1].last ? &mean.report() : nullptr;
}

void OmsTile::clear() {
  // A client whose batch goes on keeps its assignment and its sums.
  if (!examples_[count_ - 1].last) {
    std::swap(assignments_.front(), assignments_[clients_ - 1]);
    std::swap(means_.front(), means_[clients_ - 1]);
    clients_ = 1;
  } else {
    clients_ = 0;
  }
  features_.clear();
  count_ = 0;
  pairs_ = 0;
  floats_ = 0;
}

}  // namespace caucus
