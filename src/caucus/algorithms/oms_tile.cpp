#include "caucus/algorithms/oms_tile.hpp"

#include <algorithm>
#include <utility>

#include "caucus/core/base/vector.hpp"

namespace caucus {

OmsTile::OmsTile(const Plan& plan, std::size_t sample_size, bool first_predicts)
    : plan_(&plan),
      sample_size_(sample_size),
      first_predicts_(first_predicts),
      features_(plan.maps),
      begins_(kExamples),
      inputs_(kExamples),
      played_(kExamples) {
  const FeatureMaps& maps = plan.maps;
  std::size_t largest = 0;
  for (std::size_t i = 0; i < maps.size(); ++i) {
    has_experts_ = has_experts_ || maps.dimension(i) == 0;
    largest = std::max(largest, maps.dimension(i));
  }
  const std::size_t floats = std::max<std::size_t>(sample_size * largest, 1);  // per example
  most_ = std::clamp<std::size_t>((kFloats + floats - 1) / floats, 1, kExamples);
}

HeldPlaces OmsTile::begin_clients(std::uint32_t first_client, std::size_t count) {
  const std::size_t models = clients() * sample_size_;
  begins_[clients()] = static_cast<std::uint32_t>(count_);
  for (std::size_t c = 0; c < count; ++c) {
    reports_.add_report(first_client + static_cast<std::uint32_t>(c), 0);
  }
  const std::size_t end = clients() * sample_size_;
  reports_.spaces.resize(end);
  if (weights_.size() < end) {  // at most 64 J, but J may be 100,000 and a tile of two full
    weights_.resize(2 * end);
    shares_.resize(2 * end);
  }
  return {reports_.spaces.data() + models, weights_.data() + models, shares_.data() + models};
}

void OmsTile::make_room(std::size_t pairs) {
  const std::size_t room = 2 * pairs;
  targets_.resize(room);
  outputs_.resize(room);
  losses_.resize(room);
}

void OmsTile::compute() {
  const std::size_t pairs = count_ * sample_size_;
  if (targets_.size() < pairs) make_room(pairs);
  spread_over_pairs();
  std::vector<float>& losses = single() ? reports_.losses : columns_.losses;
  std::vector<float>& factors = single() ? reports_.factors : columns_.factors;
  std::vector<const float*>& directions = single() ? reports_.directions : columns_.directions;
  losses.resize(pairs);
  factors.resize(pairs);
  directions.resize(pairs);
  features_.compute_pairs({count_, sample_size_, inputs_.data(), pair_spaces_, pair_weights_,
                           directions.data(), outputs_.data()},
                          reports_.memory);
  if (has_experts_) ask_experts();
  evaluate(losses.data(), factors.data());
  make_forecasts();
  for (std::size_t c = 0; c < clients(); ++c) {
    reports_.ends[c] = static_cast<std::uint32_t>((c + 1) * sample_size_);
  }
  reports_.sizes.resize(reports_.spaces.size());
  for (std::size_t m = 0; m < reports_.sizes.size(); ++m) {
    reports_.sizes[m] = static_cast<std::uint32_t>(plan_->maps.dimension(reports_.spaces[m]));
  }
  if (!single()) make_reports();
}

void OmsTile::spread_over_pairs() {
  double* target = targets_.data();
  for (std::size_t e = 0; e < count_; ++e) {
    const double y = played_[e].y;
    for (std::size_t a = 0; a < sample_size_; ++a) *target++ = y;
  }
  pair_spaces_ = reports_.spaces.data();
  pair_weights_ = weights_.data();
  pair_shares_ = shares_.data();
  if (single()) return;
  const std::size_t room = targets_.size();
  spread_.spaces.resize(room);
  spread_.weights.resize(room);
  spread_.shares.resize(room);
  for (std::size_t client = 0; client < clients(); ++client) {
    for (std::size_t e = begins_[client]; e < end_of(client); ++e) {
      for (std::size_t a = 0; a < sample_size_; ++a) {
        spread_.spaces[e * sample_size_ + a] = reports_.spaces[client * sample_size_ + a];
        spread_.weights[e * sample_size_ + a] = weights_[client * sample_size_ + a];
        spread_.shares[e * sample_size_ + a] = shares_[client * sample_size_ + a];
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
  for (std::size_t p = 0; p < count_ * sample_size_; ++p) {
    const std::uint32_t space = pair_spaces_[p];
    if (plan_->maps.dimension(space) > 0) continue;
    outputs_[p] = plan_->expert_output(space, {inputs_[p / sample_size_], size});
  }
}

namespace {

/// This is a function of its own, with pointers that do not overlap, so that the compiler uses
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

void OmsTile::evaluate(float* losses, float* factors) {
  plan_->loss.with_kind([&](const auto& loss) {
    evaluate_pairs(loss, count_ * sample_size_, targets_.data(), outputs_.data(), losses_.data(),
                   losses, factors);
  });
}

void OmsTile::make_forecasts() {
  const double* outputs = outputs_.data();
  const double* shares = pair_shares_;
  for (std::size_t e = 0; e < count_; ++e, outputs += sample_size_, shares += sample_size_) {
    double forecast = outputs[0];
    if (!first_predicts_) {
      forecast = 0.0;
      for (std::size_t a = 0; a < sample_size_; ++a) forecast += shares[a] * outputs[a];
    }
    played_[e].output = forecast;
  }
}

void OmsTile::make_reports() {
  const std::size_t models = reports_.spaces.size();
  reports_.losses.resize(models);
  reports_.factors.resize(models);
  reports_.directions.resize(models);
  for (std::size_t client = 0; client < clients(); ++client) {
    const bool whole = (client > 0 || !continued_) && (client + 1 < clients() || complete_);
    if (!whole) {
      add_to_mean(client);
    } else if (end_of(client) == begins_[client] + 1) {
      const std::size_t to = client * sample_size_;
      const std::size_t from = begins_[client] * sample_size_;
      std::copy_n(columns_.losses.data() + from, sample_size_, reports_.losses.data() + to);
      std::copy_n(columns_.factors.data() + from, sample_size_, reports_.factors.data() + to);
      std::copy_n(columns_.directions.data() + from, sample_size_, reports_.directions.data() + to);
    } else {
      make_mean_report(client);
    }
  }
  if (!complete_) reports_.remove_last();
}

/// Continues the mean of a client whose batch is in several tiles.
void OmsTile::add_to_mean(std::size_t client) {
  const std::size_t models = client * sample_size_;
  if (client > 0 || !continued_) {
    held_.clear();
    for (std::size_t a = 0; a < sample_size_; ++a) {
      held_.push_back(
          {reports_.spaces[models + a], {weights_[models + a], reports_.sizes[models + a]}, 1.0});
    }
    cut_mean_.begin(reports_.clients[client], held_);
  }
  for (std::size_t e = begins_[client]; e < end_of(client); ++e) {
    for (std::size_t a = 0; a < sample_size_; ++a) {
      const std::size_t p = e * sample_size_ + a;
      cut_mean_.add(a, losses_[p], columns_.factors[p],
                    {columns_.directions[p], reports_.sizes[models + a]});
    }
    cut_mean_.end_example();
  }
  if (client + 1 == clients() && !complete_) return;
  ReportBatch report;
  std::swap(report.memory, reports_.memory);  // the gradients go there
  cut_mean_.report(report);
  std::swap(report.memory, reports_.memory);
  reports_.examples[client] = report.examples.front();
  std::copy_n(report.losses.data(), sample_size_, reports_.losses.data() + models);
  std::copy_n(report.factors.data(), sample_size_, reports_.factors.data() + models);
  std::copy_n(report.directions.data(), sample_size_, reports_.directions.data() + models);
}

/// Computes the result of BatchMean without sums in memory.
void OmsTile::make_mean_report(std::size_t client) {
  const std::size_t begin = begins_[client];
  const std::size_t end = end_of(client);
  const auto n = static_cast<double>(end - begin);
  terms_.resize(end - begin);
  for (std::size_t a = 0; a < sample_size_; ++a) {
    double losses = 0.0;
    simd::Term* term = terms_.data();
    for (std::size_t e = begin; e < end; ++e, ++term) {
      const std::size_t p = e * sample_size_ + a;
      losses += losses_[p];
      term->x = columns_.directions[p];
      term->factor = columns_.factors[p];
    }
    const std::size_t model = client * sample_size_ + a;
    const std::size_t size = reports_.sizes[model];
    const std::span gradient(reports_.memory.take(size), size);
    sum_exact_products(terms_, 1.0 / n, gradient);
    reports_.losses[model] = reported_loss(losses / n);
    reports_.factors[model] = 1.0F;
    reports_.directions[model] = gradient.data();
  }
}

void OmsTile::clear() {
  reports_.clear();
  count_ = 0;
  continued_ = !complete_;
}

}  // namespace caucus
