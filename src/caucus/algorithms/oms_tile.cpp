#include "caucus/algorithms/oms_tile.hpp"

#include <algorithm>
#include <utility>

#include "caucus/core/vector.hpp"

namespace caucus {

OmsTile::OmsTile(const Plan& plan, std::size_t sampled)
    : plan_(&plan),
      sampled_(sampled),
      features_(plan.maps),
      client_names_(kExamples),
      client_examples_(kExamples),
      means_(kExamples),
      examples_(kExamples),
      played_(kExamples) {
  for (std::size_t i = 0; i < plan.maps.size(); ++i) {
    same_dimension_ = same_dimension_ && plan.maps.dimension(i) == plan.maps.dimension(0);
    largest_dimension_ = std::max(largest_dimension_, plan.maps.dimension(i));
  }
}

/// The pairs of a tile are at most 64 J, but J may be 100,000 and a tile of two examples full.
void OmsTile::make_room(std::size_t pairs) {
  const std::size_t room = 2 * pairs;
  weights_.resize(room);
  directions_.resize(room);
  outputs_.resize(room);
  losses_.resize(room);
  held_.resize(room);
}

void OmsTile::compute() {
  const std::size_t pairs = count_ * sampled_;
  if (weights_.size() < pairs) make_room(pairs);
  const float** weights = weights_.data();
  for (std::size_t e = 0; e < count_; ++e) {
    const HeldModel* const models = models_of(examples_[e]);
    for (std::size_t a = 0; a < sampled_; ++a) *weights++ = models[a].weights.data();
  }
  features_.request_all(
      count_, sampled_, [&](std::size_t e) { return examples_[e].x; },
      [&](std::size_t e, std::size_t a) { return models_of(examples_[e])[a].space; },
      directions_.data());
  features_.compute();
  compute_outputs();
  plan_->loss.with_kind([&](const auto& loss) { evaluate(loss); });
  const std::size_t complete = examples_[count_ - 1].last ? clients_ : clients_ - 1;
  reports_ = {sampled_,
              {client_names_.data(), complete},
              {client_examples_.data(), complete},
              {make_reports(), complete * sampled_},
              false};
}

void OmsTile::compute_outputs() {
  const std::size_t pairs = count_ * sampled_;
  const auto size_of = [&](std::size_t p) {
    return models_of(examples_[p / sampled_])[p % sampled_].weights.size();
  };
  for (std::size_t p = 0; p < pairs;) {  // those of the same size together
    const std::size_t size = size_of(p);
    std::size_t end = same_dimension_ ? pairs : p + 1;
    while (end < pairs && size_of(end) == size) ++end;
    const std::size_t count = end - p;
    dots(std::span(weights_).subspan(p, count), std::span(directions_).subspan(p, count), size,
         std::span(outputs_).subspan(p, count));
    p = end;
  }
}

template <class AnyLoss>
void OmsTile::evaluate(const AnyLoss& loss) {
  const double* outputs = outputs_.data();
  const float* const* direction = directions_.data();
  double* losses = losses_.data();
  HeldReport* held = held_.data();
  for (std::size_t e = 0; e < count_; ++e) {
    const double y = played_[e].y;
    double forecast = 0.0;
    const HeldModel* model = models_of(examples_[e]);
    for (const HeldModel* const end = model + sampled_; model < end; ++model) {
      const std::size_t dimension = model->weights.size();
      // Only a frozen expert has no features.
      const double output = finite_forecast(
          dimension > 0 ? *outputs : plan_->maps.expert_forecast(model->space, examples_[e].x));
      const double value = loss.value(output, y);
      forecast += model->share * output;
      *losses++ = value;
      held->space = model->space;
      held->loss = reported_loss(value);
      held->factor = static_cast<float>(loss.derivative(output, y));
      held->direction = {*direction++, dimension};
      ++held;
      ++outputs;
    }
    played_[e].output = forecast;
  }
}

const HeldReport* OmsTile::make_reports() {
  const bool alone = count_ == clients_ && examples_[0].first && examples_[count_ - 1].last;
  if (alone) return held_.data();  // one example each: nothing to average
  mean_held_.resize(std::max(mean_held_.size(), clients_ * sampled_));
  for (std::size_t e = 0; e < count_;) {
    std::size_t end = e + 1;
    while (end < count_ && examples_[end].client == examples_[e].client) ++end;
    if (examples_[e].first && examples_[e].last) {
      std::copy_n(held_.data() + e * sampled_, sampled_,
                  mean_held_.data() + examples_[e].client * sampled_);
    } else {
      make_mean_report(e, end);
    }
    e = end;
  }
  return mean_held_.data();
}

void OmsTile::make_mean_report(std::size_t example, std::size_t end) {
  const std::size_t client = examples_[example].client;
  if (examples_[example].first && examples_[end - 1].last) return make_report_at_once(example, end);
  BatchMean& mean = means_[client];
  if (examples_[example].first) {
    mean.begin(client_names_[client], {models_.data() + client * sampled_, sampled_});
  }
  for (std::size_t e = example; e < end; ++e) {
    for (std::size_t a = 0; a < sampled_; ++a) {
      const std::size_t p = e * sampled_ + a;
      mean.add(a, losses_[p], held_[p].factor, held_[p].direction);
    }
    mean.end_example();
  }
  if (!examples_[end - 1].last) return;
  const Report& report = mean.report();
  std::copy(report.held.begin(), report.held.end(), mean_held_.data() + client * sampled_);
}

/// What BatchMean gives, without sums in memory.
void OmsTile::make_report_at_once(std::size_t example, std::size_t end) {
  const std::size_t client = examples_[example].client;
  const auto n = static_cast<double>(end - example);
  for (std::size_t a = 0; a < sampled_; ++a) {
    double losses = 0.0;
    terms_.clear();
    for (std::size_t e = example; e < end; ++e) {
      const std::size_t p = e * sampled_ + a;
      losses += losses_[p];
      terms_.push_back({directions_[p], held_[p].factor});
    }
    const std::size_t size = held_[example * sampled_ + a].direction.size();
    const std::span gradient(features_.take(size), size);
    sum_exact_products(terms_, 1.0 / n, gradient);
    mean_held_[client * sampled_ + a] = {models_[client * sampled_ + a].space,
                                         reported_loss(losses / n), 1.0F, gradient};
  }
}

void OmsTile::clear() {
  // A client whose batch goes on keeps its models and its sums.
  if (!examples_[count_ - 1].last) {
    const std::size_t client = clients_ - 1;
    std::copy_n(models_.data() + client * sampled_, sampled_, models_.data());
    std::swap(means_.front(), means_[client]);
    client_names_.front() = client_names_[client];
    client_examples_.front() = client_examples_[client];
    clients_ = 1;
  } else {
    clients_ = 0;
  }
  features_.clear();
  count_ = 0;
  floats_ = 0;
}

}  // namespace caucus
