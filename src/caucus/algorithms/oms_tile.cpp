#include "caucus/algorithms/oms_tile.hpp"

#include <algorithm>
#include <utility>

#include "caucus/core/base/vector.hpp"

namespace caucus {

OmsTile::OmsTile(const Plan& plan, std::size_t sampled, bool first_predicts)
    : plan_(&plan),
      sampled_(sampled),
      first_predicts_(first_predicts),
      features_(plan.maps),
      client_names_(kExamples),
      begins_(kExamples),
      client_examples_(kExamples),
      means_(kExamples),
      inputs_(kExamples),
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
  spread_over_pairs();
  features_.compute_pairs({count_, sampled_, inputs_.data(), pair_spaces_, pair_weights_,
                           said_.directions.data(), outputs_.data()});
  if (has_experts_) ask_experts();
  plan_->loss.with_kind([&](const auto& loss) { evaluate(loss); });
  make_forecasts();
  const std::size_t complete = complete_ ? clients_ : clients_ - 1;
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

void OmsTile::spread_over_pairs() {
  double* target = targets_.data();
  for (std::size_t e = 0; e < count_; ++e) {
    const double y = played_[e].y;
    for (std::size_t a = 0; a < sampled_; ++a) *target++ = y;
  }
  pair_spaces_ = spaces_.data();
  pair_weights_ = weights_.data();
  pair_shares_ = shares_.data();
  if (single()) return;
  const std::size_t room = targets_.size();
  spread_.spaces.resize(room);
  spread_.weights.resize(room);
  spread_.shares.resize(room);
  for (std::size_t client = 0; client < clients_; ++client) {
    for (std::size_t e = begins_[client]; e < end_of(client); ++e) {
      for (std::size_t a = 0; a < sampled_; ++a) {
        spread_.spaces[e * sampled_ + a] = spaces_[client * sampled_ + a];
        spread_.weights[e * sampled_ + a] = weights_[client * sampled_ + a];
        spread_.shares[e * sampled_ + a] = shares_[client * sampled_ + a];
      }
    }
  }
  pair_spaces_ = spread_.spaces.data();
  pair_weights_ = spread_.weights.data();
  pair_shares_ = spread_.shares.data();
}

/// A frozen expert has no features.
void OmsTile::ask_experts() {
  const std::size_t size = plan_->maps.example_size();
  for (std::size_t p = 0; p < count_ * sampled_; ++p) {
    const std::uint32_t space = pair_spaces_[p];
    if (plan_->maps.dimension(space) > 0) continue;
    outputs_[p] = plan_->maps.expert_forecast(space, {inputs_[p / sampled_], size});
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
  const double* shares = pair_shares_;
  for (std::size_t e = 0; e < count_; ++e, outputs += sampled_, shares += sampled_) {
    double forecast = outputs[0];
    if (!first_predicts_) {
      forecast = 0.0;
      for (std::size_t a = 0; a < sampled_; ++a) forecast += shares[a] * outputs[a];
    }
    played_[e].output = forecast;
  }
}

const OmsTile::Said& OmsTile::make_reports() {
  if (single()) return said_;  // nothing to average
  mean_said_.resize(std::max(mean_said_.losses.size(), clients_ * sampled_));
  for (std::size_t client = 0; client < clients_; ++client) {
    const bool whole = (client > 0 || !continued_) && (client + 1 < clients_ || complete_);
    if (!whole) {
      make_mean_report(client);
    } else if (end_of(client) == begins_[client] + 1) {
      const std::size_t to = client * sampled_;
      const std::size_t from = begins_[client] * sampled_;
      std::copy_n(said_.losses.data() + from, sampled_, mean_said_.losses.data() + to);
      std::copy_n(said_.factors.data() + from, sampled_, mean_said_.factors.data() + to);
      std::copy_n(said_.directions.data() + from, sampled_, mean_said_.directions.data() + to);
    } else {
      make_report_at_once(client);
    }
  }
  return mean_said_;
}

/// Of a client whose batch is in several tiles.
void OmsTile::make_mean_report(std::size_t client) {
  BatchMean& mean = means_[client];
  const std::size_t models = client * sampled_;
  const auto size_of = [&](std::size_t a) { return plan_->maps.dimension(spaces_[models + a]); };
  if (client > 0 || !continued_) {
    held_.clear();
    for (std::size_t a = 0; a < sampled_; ++a) {
      held_.push_back({spaces_[models + a], {weights_[models + a], size_of(a)}, 1.0});
    }
    mean.begin(client_names_[client], held_);
  }
  for (std::size_t e = begins_[client]; e < end_of(client); ++e) {
    for (std::size_t a = 0; a < sampled_; ++a) {
      const std::size_t p = e * sampled_ + a;
      mean.add(a, losses_[p], said_.factors[p], {said_.directions[p], size_of(a)});
    }
    mean.end_example();
  }
  if (client + 1 == clients_ && !complete_) return;
  const Report& report = mean.report();
  for (std::size_t a = 0; a < sampled_; ++a) {
    mean_said_.losses[models + a] = report.held[a].loss;
    mean_said_.factors[models + a] = report.held[a].factor;
    mean_said_.directions[models + a] = report.held[a].direction.data();
  }
}

/// What BatchMean gives, without sums in memory.
void OmsTile::make_report_at_once(std::size_t client) {
  const std::size_t begin = begins_[client];
  const std::size_t end = end_of(client);
  const auto n = static_cast<double>(end - begin);
  terms_.resize(end - begin);
  for (std::size_t a = 0; a < sampled_; ++a) {
    double losses = 0.0;
    simd::Term* term = terms_.data();
    for (std::size_t e = begin; e < end; ++e, ++term) {
      const std::size_t p = e * sampled_ + a;
      losses += losses_[p];
      term->x = said_.directions[p];
      term->factor = said_.factors[p];
    }
    const std::size_t model = client * sampled_ + a;
    const std::size_t size = plan_->maps.dimension(spaces_[model]);
    const std::span gradient(features_.take(size), size);
    sum_exact_products(terms_, 1.0 / n, gradient);
    mean_said_.losses[model] = reported_loss(losses / n);
    mean_said_.factors[model] = 1.0F;
    mean_said_.directions[model] = gradient.data();
  }
}

std::size_t OmsTile::floats_of(std::size_t models) const {
  if (same_dimension_) return models * plan_->maps.dimension(0);
  std::size_t floats = 0;
  for (std::size_t m = 0; m < models; ++m) floats += plan_->maps.dimension(spaces_[m]);
  return floats;
}

void OmsTile::clear() {
  if (complete_) {
    clients_ = 0;
  } else {  // a client whose batch goes on keeps its models and its sums
    const std::size_t client = clients_ - 1;
    std::copy_n(spaces_.data() + client * sampled_, sampled_, spaces_.data());
    std::copy_n(weights_.data() + client * sampled_, sampled_, weights_.data());
    std::copy_n(shares_.data() + client * sampled_, sampled_, shares_.data());
    std::swap(means_.front(), means_[client]);
    client_names_.front() = client_names_[client];
    client_examples_.front() = client_examples_[client];
    begins_.front() = 0;
    clients_ = 1;
  }
  continued_ = !complete_;
  features_.clear();
  count_ = 0;
}

}  // namespace caucus
