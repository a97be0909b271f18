#include "caucus/algorithms/oms_tile.hpp"

#include <algorithm>
#include <utility>

#include "caucus/core/vector.hpp"

namespace caucus {

OmsTile::OmsTile(const Plan& plan, std::size_t sampled, bool first_predicts)
    : plan_(&plan),
      sampled_(sampled),
      first_predicts_(first_predicts),
      features_(plan.maps),
      client_names_(kExamples),
      client_examples_(kExamples),
      means_(kExamples),
      examples_(kExamples),
      played_(kExamples) {
  const FeatureMaps& maps = plan.maps;
  std::size_t largest = 0;
  for (std::size_t i = 0; i < maps.size(); ++i) {
    same_dimension_ = same_dimension_ && maps.dimension(i) == maps.dimension(0);
    has_experts_ = has_experts_ || maps.dimension(i) == 0;
    largest = std::max(largest, maps.dimension(i));
  }
  const std::size_t floats = std::max<std::size_t>(sampled * largest, 1);  // of one example
  most_ = std::clamp<std::size_t>((kFloats + floats - 1) / floats, 1, kExamples);
}

void OmsTile::Said::resize(std::size_t size) {
  losses.resize(size);
  factors.resize(size);
  directions.resize(size);
}

/// Those of a tile are at most 64 J, but J may be 100,000 and a tile of two examples full.
void OmsTile::make_room_for_models(std::size_t models) {
  const std::size_t room = 2 * models;
  spaces_.resize(room);
  weights_.resize(room);
  shares_.resize(room);
}

void OmsTile::make_room_for_pairs(std::size_t pairs) {
  const std::size_t room = 2 * pairs;
  targets_.resize(room);
  outputs_.resize(room);
  losses_.resize(room);
  said_.resize(room);
}

void OmsTile::compute() {
  const std::size_t pairs = count_ * sampled_;
  if (targets_.size() < pairs) make_room_for_pairs(pairs);
  features_.request_all(
      count_, sampled_, [&](std::size_t e) { return examples_[e].x; },
      [&](std::size_t e) { return spaces_of(e); }, said_.directions.data());
  features_.compute();
  compute_outputs(spread_over_pairs());
  if (has_experts_) ask_experts();
  plan_->loss.with_kind([&](const auto& loss) { evaluate(loss); });
  make_forecasts();
  const std::size_t complete = examples_[count_ - 1].last ? clients_ : clients_ - 1;
  const std::size_t models = complete * sampled_;
  const Said& said = make_reports();
  reports_.sampled = sampled_;
  reports_.clients = {client_names_.data(), complete};
  reports_.examples = {client_examples_.data(), complete};
  reports_.spaces = {spaces_.data(), models};
  reports_.losses = {said.losses.data(), models};
  reports_.factors = {said.factors.data(), models};
  reports_.directions = {said.directions.data(), models};
  reports_.floats = floats_of(models);
  reports_.lasting = false;
}

const float* const* OmsTile::spread_over_pairs() {
  double* target = targets_.data();
  for (std::size_t e = 0; e < count_; ++e) {
    const double y = played_[e].y;
    for (std::size_t a = 0; a < sampled_; ++a) *target++ = y;
  }
  if (single()) return weights_.data();
  pair_weights_.resize(std::max(pair_weights_.size(), targets_.size()));
  const float** weights = pair_weights_.data();
  for (std::size_t e = 0; e < count_; ++e) {
    const float* const* const models = weights_.data() + examples_[e].client * sampled_;
    for (std::size_t a = 0; a < sampled_; ++a) *weights++ = models[a];
  }
  return pair_weights_.data();
}

void OmsTile::compute_outputs(const float* const* weights) {
  const std::size_t pairs = count_ * sampled_;
  const auto size_of = [&](std::size_t p) {
    return plan_->maps.dimension(spaces_of(p / sampled_)[p % sampled_]);
  };
  for (std::size_t p = 0; p < pairs;) {  // those of the same size together
    const std::size_t size = size_of(p);
    std::size_t end = same_dimension_ ? pairs : p + 1;
    while (end < pairs && size_of(end) == size) ++end;
    const std::size_t count = end - p;
    dots({weights + p, count}, std::span(said_.directions).subspan(p, count), size,
         std::span(outputs_).subspan(p, count));
    p = end;
  }
}

/// A frozen expert has no features.
void OmsTile::ask_experts() {
  for (std::size_t e = 0; e < count_; ++e) {
    for (std::size_t a = 0; a < sampled_; ++a) {
      const std::uint32_t space = spaces_of(e)[a];
      if (plan_->maps.dimension(space) > 0) continue;
      outputs_[e * sampled_ + a] = plan_->maps.expert_forecast(space, examples_[e].x);
    }
  }
}

namespace {

/// In a function of its own, with pointers that it knows to be different: so the compiler uses
/// vectors.
template <class AnyLoss>
void evaluate_pairs(const AnyLoss& loss, std::size_t pairs, const double* __restrict__ targets,
                    double* __restrict__ outputs, double* __restrict__ losses,
                    float* __restrict__ reported, float* __restrict__ factors) {
  const AnyLoss own = loss;
  for (std::size_t p = 0; p < pairs; ++p) {
    const double output = finite_forecast(outputs[p]);
    const double value = own.value(output, targets[p]);
    outputs[p] = output;
    losses[p] = value;
    reported[p] = reported_loss(value);
    factors[p] = static_cast<float>(own.derivative(output, targets[p]));
  }
}

}  // namespace

template <class AnyLoss>
void OmsTile::evaluate(const AnyLoss& loss) {
  evaluate_pairs(loss, count_ * sampled_, targets_.data(), outputs_.data(), losses_.data(),
                 said_.losses.data(), said_.factors.data());
}

void OmsTile::make_forecasts() {
  const double* outputs = outputs_.data();
  for (std::size_t e = 0; e < count_; ++e, outputs += sampled_) {
    double forecast = outputs[0];
    if (!first_predicts_) {
      const double* const shares = shares_.data() + examples_[e].client * sampled_;
      forecast = 0.0;
      for (std::size_t a = 0; a < sampled_; ++a) forecast += shares[a] * outputs[a];
    }
    played_[e].output = forecast;
  }
}

const OmsTile::Said& OmsTile::make_reports() {
  if (single()) return said_;  // nothing to average
  mean_said_.resize(std::max(mean_said_.losses.size(), clients_ * sampled_));
  for (std::size_t e = 0; e < count_;) {
    std::size_t end = e + 1;
    while (end < count_ && examples_[end].client == examples_[e].client) ++end;
    if (examples_[e].first && examples_[e].last) {
      const std::size_t to = examples_[e].client * sampled_;
      const std::size_t from = e * sampled_;
      std::copy_n(said_.losses.data() + from, sampled_, mean_said_.losses.data() + to);
      std::copy_n(said_.factors.data() + from, sampled_, mean_said_.factors.data() + to);
      std::copy_n(said_.directions.data() + from, sampled_, mean_said_.directions.data() + to);
    } else {
      make_mean_report(e, end);
    }
    e = end;
  }
  return mean_said_;
}

void OmsTile::make_mean_report(std::size_t example, std::size_t end) {
  const std::size_t client = examples_[example].client;
  if (examples_[example].first && examples_[end - 1].last) return make_report_at_once(example, end);
  BatchMean& mean = means_[client];
  const auto size_of = [&](std::size_t a) { return plan_->maps.dimension(spaces_of(example)[a]); };
  if (examples_[example].first) {
    held_.clear();
    for (std::size_t a = 0; a < sampled_; ++a) {
      held_.push_back(
          {spaces_of(example)[a], {weights_[client * sampled_ + a], size_of(a)}, 1.0});
    }
    mean.begin(client_names_[client], held_);
  }
  for (std::size_t e = example; e < end; ++e) {
    for (std::size_t a = 0; a < sampled_; ++a) {
      const std::size_t p = e * sampled_ + a;
      mean.add(a, losses_[p], said_.factors[p], {said_.directions[p], size_of(a)});
    }
    mean.end_example();
  }
  if (!examples_[end - 1].last) return;
  const Report& report = mean.report();
  for (std::size_t a = 0; a < sampled_; ++a) {
    mean_said_.losses[client * sampled_ + a] = report.held[a].loss;
    mean_said_.factors[client * sampled_ + a] = report.held[a].factor;
    mean_said_.directions[client * sampled_ + a] = report.held[a].direction.data();
  }
}

/// What BatchMean gives, without sums in memory.
void OmsTile::make_report_at_once(std::size_t example, std::size_t end) {
  const std::size_t client = examples_[example].client;
  const auto n = static_cast<double>(end - example);
  terms_.resize(end - example);
  for (std::size_t a = 0; a < sampled_; ++a) {
    double losses = 0.0;
    simd::Term* term = terms_.data();
    for (std::size_t e = example; e < end; ++e, ++term) {
      const std::size_t p = e * sampled_ + a;
      losses += losses_[p];
      term->x = said_.directions[p];
      term->factor = said_.factors[p];
    }
    const std::size_t size = plan_->maps.dimension(spaces_of(example)[a]);
    const std::span gradient(features_.take(size), size);
    sum_exact_products(terms_, 1.0 / n, gradient);
    mean_said_.losses[client * sampled_ + a] = reported_loss(losses / n);
    mean_said_.factors[client * sampled_ + a] = 1.0F;
    mean_said_.directions[client * sampled_ + a] = gradient.data();
  }
}

std::size_t OmsTile::floats_of(std::size_t models) const {
  if (same_dimension_) return models * plan_->maps.dimension(0);
  std::size_t floats = 0;
  for (std::size_t m = 0; m < models; ++m) floats += plan_->maps.dimension(spaces_[m]);
  return floats;
}

void OmsTile::clear() {
  // A client whose batch goes on keeps its models and its sums.
  if (!examples_[count_ - 1].last) {
    const std::size_t client = clients_ - 1;
    std::copy_n(spaces_.data() + client * sampled_, sampled_, spaces_.data());
    std::copy_n(weights_.data() + client * sampled_, sampled_, weights_.data());
    std::copy_n(shares_.data() + client * sampled_, sampled_, shares_.data());
    std::swap(means_.front(), means_[client]);
    client_names_.front() = client_names_[client];
    client_examples_.front() = client_examples_[client];
    clients_ = 1;
  } else {
    clients_ = 0;
  }
  features_.clear();
  count_ = 0;
}

}  // namespace caucus
