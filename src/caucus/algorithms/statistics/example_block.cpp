#include "caucus/algorithms/statistics/example_block.hpp"

#include <array>

#include "caucus/core/base/vector.hpp"

namespace caucus {

void ExampleBlock::compute(const Assignment& assignment,
                           std::span<const std::span<const float>> examples) {
  const std::size_t count = examples.size();
  models_ = assignment.held.size();
  memory_.clear();
  spaces_.clear();
  examples_.clear();
  dimensions_.clear();
  for (const HeldModel& model : assignment.held) {
    dimensions_.push_back(plan_->maps.dimension(model.space));
  }
  for (const std::span<const float> x : examples) {
    examples_.push_back(x.data());
    for (const HeldModel& model : assignment.held) spaces_.push_back(model.space);
  }
  features_.resize(count * models_);
  outputs_.resize(models_ * kExamples * outputs_of_);
  forecasts_.assign(count, 0.0);
  tile_.compute_features(
      {count, models_, examples_.data(), spaces_.data(), nullptr, features_.data(), nullptr},
      memory_);
  for (std::size_t a = 0; a < models_; ++a) {
    const HeldModel& model = assignment.held[a];
    if (plan_->loss.has_classes()) {
      if (a == 0) classes_.assign(count * outputs_of_, 0.0);
      compute_classes(a, model, count);
      continue;
    }
    double* const outputs = outputs_.data() + a * kExamples;
    if (dimensions_[a] > 0) {
      multiply(a, model.weights, count);
    } else {
      for (std::size_t e = 0; e < count; ++e) {
        outputs[e] = plan_->expert_output(model.space, examples[e]);
      }
    }
    for (std::size_t e = 0; e < count; ++e) {
      outputs[e] = finite_forecast(outputs[e]);
      forecasts_[e] += model.share * outputs[e];
    }
  }
}

void ExampleBlock::compute_classes(std::size_t model, const HeldModel& held, std::size_t count) {
  for (std::size_t e = 0; e < count; ++e) {
    const auto outputs =
        std::span(outputs_).subspan((model * kExamples + e) * outputs_of_, outputs_of_);
    class_outputs(plan_->maps, held, {examples_[e], plan_->maps.example_size()}, features(model, e),
                  outputs);
    for (std::size_t c = 0; c < outputs_of_; ++c) {
      classes_[e * outputs_of_ + c] += held.share * outputs[c];
    }
  }
}

void ExampleBlock::multiply(std::size_t model, std::span<const float> weights, std::size_t count) {
  std::array<const float*, kExamples> w{};
  std::array<const float*, kExamples> z{};
  w.fill(weights.data());
  for (std::size_t e = 0; e < count; ++e) z[e] = features_[e * models_ + model];
  dots(std::span(w).first(count), std::span(z).first(count), weights.size(),
       std::span(outputs_).subspan(model * kExamples, count));
}

}  // namespace caucus
