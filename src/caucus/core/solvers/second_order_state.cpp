// Saves and restores a SecondOrderModel.
#include "caucus/core/solvers/second_order.hpp"

#include <array>
#include <cmath>
#include <string>

namespace caucus {

void SecondOrderModel::Iterate::save(StateWriter& to) const {
  to.numbers(x);
  to.numbers(residual);
  to.numbers(direction);
  to.numbers(image);
}

void SecondOrderModel::Iterate::restore(StateReader& from) {
  from.numbers(x);
  from.numbers(residual);
  from.numbers(direction);
  from.numbers(image);
}

void SecondOrderModel::save(StateWriter& to) const {
  to.flag(!A_.empty());
  to.u64(solved_);
  to.u64(unsolved_);
  for (const double value :
       {mu_, largest_, ridge_, loss_sum_, gradient_sum_, usual_loss_, usual_weight_}) {
    to.real(value);
  }
  if (A_.empty()) return;
  A_.save(to);
  to.numbers(b_);
  to.numbers(diagonal_);
  at_.save(to);
  to.flag(residual_is_stale_);
  to.numbers(factors_);
  to.numbers(sizes_);
  to.numbers(observed_);
}

Status SecondOrderModel::restore(StateReader& from) {
  const bool touched = from.flag();
  solved_ = static_cast<std::size_t>(from.u64());
  unsolved_ = static_cast<std::size_t>(from.u64());
  for (double* value :
       {&mu_, &largest_, &ridge_, &loss_sum_, &gradient_sum_, &usual_loss_, &usual_weight_}) {
    *value = from.real();
  }
  CAUCUS_CHECK(from.status());
  // mu may be infinite after a division by a tiny number.
  const std::array amounts = {largest_, ridge_, loss_sum_, gradient_sum_, usual_weight_};
  if (!(mu_ >= 0.0) || !all_amounts(amounts) || !std::isfinite(usual_loss_)) {
    return from.refuse("a model's sum", "expected finite numbers >= 0");
  }
  if (!touched) return Done{};
  CAUCUS_CHECK(A_.restore(from, d_));
  make_vectors();
  CAUCUS_CHECK(restore_solver(from));
  return restore_observed(from);
}

/// Residual, direction and image are not checked, because the solver corrects them by itself.
Status SecondOrderModel::restore_solver(StateReader& from) {
  from.numbers(b_);
  from.numbers(diagonal_);
  at_.restore(from);
  residual_is_stale_ = from.flag();
  CAUCUS_CHECK(from.status());
  if (!all_finite(b_) || !all_finite(diagonal_) || !all_finite(at_.x)) {
    return from.refuse("a model's equations", "expected finite numbers");
  }
  return Done{};
}

Status SecondOrderModel::restore_observed(StateReader& from) {
  factors_ = from.numbers<double>();
  sizes_ = from.numbers<double>();
  const auto observed = from.numbers<float>();
  CAUCUS_CHECK(from.status());
  if (factors_.size() >= kAbsorbed || sizes_.size() != factors_.size() ||
      observed.size() != factors_.size() * A_.padded_size()) {
    return from.refuse("waiting reports of a model",
                       "expected fewer than " + std::to_string(kAbsorbed) + ", all of one length");
  }
  if (!all_amounts(factors_) || !all_amounts(sizes_) || !all_finite(observed)) {
    return from.refuse("a waiting report of a model", "expected finite numbers");
  }
  observed_.assign(observed.begin(), observed.end());
  return Done{};
}

}  // namespace caucus
