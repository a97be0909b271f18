#include "caucus/algorithms/round.hpp"

#include "caucus/core/base/vector.hpp"

namespace caucus {

void BatchMean::begin(std::uint32_t client, std::span<const HeldModel> models) {
  client_ = client;
  examples_ = 0;
  spaces_.clear();
  begin_.assign(1, 0);
  for (const HeldModel& model : models) {
    spaces_.push_back(model.space);
    begin_.push_back(begin_.back() + model.weights.size());
  }
  losses_.assign(models.size(), 0.0);
  gradient_sums_.assign(begin_.back(), 0.0);
}

void BatchMean::add(std::size_t a, double loss, float derivative, std::span<const float> features) {
  losses_[a] += loss;
  add_exact_product(std::span(gradient_sums_).subspan(begin_[a], features.size()), derivative,
                    features);
}

void BatchMean::report(ReportBatch& into) const {
  const double n = examples_;
  const double share = 1.0 / n;
  into.add_report(client_, examples_);
  for (std::size_t a = 0; a < losses_.size(); ++a) {
    const auto sums = std::span(gradient_sums_).subspan(begin_[a], begin_[a + 1] - begin_[a]);
    const auto gradient = into.add_model(spaces_[a], reported_loss(losses_[a] / n), sums.size());
    for (std::size_t k = 0; k < sums.size(); ++k) {
      gradient[k] = static_cast<float>(sums[k] * share);
    }
  }
}

void BatchMean::save(StateWriter& to) const {
  to.u32(examples_);
  to.numbers(losses_);
  to.numbers(gradient_sums_);
}

Status BatchMean::restore(StateReader& from) {
  examples_ = from.u32();
  from.numbers(losses_);
  from.numbers(gradient_sums_);
  if (!all_finite(losses_) || !all_finite(gradient_sums_)) {
    return from.refuse("a sum that is not finite");
  }
  return from.status();
}

}  // namespace caucus
