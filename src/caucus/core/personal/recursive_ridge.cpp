#include "caucus/core/personal/recursive_ridge.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <string>

namespace caucus {

RecursiveRidge::RecursiveRidge(std::size_t dimension, double ridge, double forgetting,
                               std::size_t targets)
    : dimension_(dimension),
      targets_(targets),
      ridge_(ridge),
      forgetting_(forgetting),
      factor_(dimension * (dimension + 1) / 2 + dimension * targets, 0.0),
      right_(dimension * targets, 0.0),
      row_(dimension + targets, 0.0) {
  assert(dimension > 0 && targets > 0 && ridge > 0.0 && forgetting > 0.0 && forgetting <= 1.0);
  for (std::size_t k = 0, at = 0; k < dimension; at += row_length(k), ++k) {
    factor_[at] = std::sqrt(ridge);
  }
}

void RecursiveRidge::project(std::span<const double> features, std::span<double> out) const {
  const std::size_t n = features.size();
  assert(n <= dimension_ && out.size() == n);
  std::copy(features.begin(), features.end(), out.begin());
  const double* row = factor_.data();
  double* const u = out.data();
  for (std::size_t k = 0; k < n; row += row_length(k), ++k) {
    const double value = u[k] / row[0];
    u[k] = value;
    for (std::size_t j = 1; j < n - k; ++j) u[k + j] -= value * row[j];
  }
}

double RecursiveRidge::predict_projected(std::span<const double> projected,
                                         std::size_t target) const {
  assert(projected.size() <= dimension_ && target < targets_);
  const double* const right = right_.data() + target * dimension_;
  double sum = 0.0;
  for (std::size_t k = 0; k < projected.size(); ++k) sum += projected[k] * right[k];
  return sum;
}

double RecursiveRidge::predict(std::span<const double> features, std::size_t target) const {
  std::vector<double> projected(features.size());
  project(features, projected);
  return predict_projected(projected, target);
}

void RecursiveRidge::observe(std::span<const double> features, std::span<const double> targets) {
  assert(features.size() == dimension_ && targets.size() == targets_);
  const auto usable = [](double value) { return std::abs(value) <= kLargest; };
  if (!std::all_of(features.begin(), features.end(), usable) ||
      !std::all_of(targets.begin(), targets.end(), usable)) {
    return;
  }
  std::copy(targets.begin(), targets.end(),
            std::copy(features.begin(), features.end(), row_.begin()));
  rotate(0, std::sqrt(forgetting_));
  if (forgetting_ < 1.0) {
    // What is added brings the ridge, which has decayed since its last turn, back to ridge_.
    std::fill(row_.begin(), row_.end(), 0.0);
    const double decayed = std::pow(forgetting_, static_cast<double>(dimension_));
    row_[next_] = std::sqrt(ridge_ * (1.0 - decayed));
    rotate(next_, 1.0);
    next_ = (next_ + 1) % dimension_;
  }
  for (std::size_t k = 0, at = 0; k < dimension_; at += row_length(k), ++k) {
    for (std::size_t n = 0; n < targets_; ++n) {
      right_[n * dimension_ + k] = factor_[at + dimension_ - k + n];
    }
  }
}

void RecursiveRidge::rotate(std::size_t first, double decay) {
  double* factor = factor_.data();
  for (std::size_t k = 0; k < first; ++k) factor += row_length(k);
  for (std::size_t k = first; k < dimension_; ++k) {
    const std::size_t length = row_length(k);
    double* const row = row_.data() + k;
    const double old = decay * factor[0];
    const double norm = std::sqrt(old * old + row[0] * row[0]);
    const double cosine = old / norm;
    const double sine = row[0] / norm;
    const double kept = decay * cosine;
    const double moved = decay * sine;
    for (std::size_t j = 0; j < length; ++j) {
      const double a = factor[j];
      const double b = row[j];
      factor[j] = kept * a + sine * b;
      row[j] = cosine * b - moved * a;
    }
    factor[0] = norm;
    factor += length;
  }
}

void RecursiveRidge::save(StateWriter& to) const {
  to.numbers(factor_);
  to.u64(next_);
}

Status RecursiveRidge::restore(StateReader& from) {
  from.numbers(factor_);
  const std::uint64_t next = from.u64();
  CAUCUS_CHECK(from.status());
  if (!all_finite(factor_)) return from.refuse("a factor", "expected finite numbers");
  if (next >= dimension_) {
    return from.refuse("the weight " + std::to_string(next),
                       "expected one below " + std::to_string(dimension_));
  }
  next_ = static_cast<std::size_t>(next);
  for (std::size_t k = 0, at = 0; k < dimension_; at += row_length(k), ++k) {
    if (!(factor_[at] > 0.0)) return from.refuse("a factor", "expected a positive diagonal");
    for (std::size_t n = 0; n < targets_; ++n) {
      right_[n * dimension_ + k] = factor_[at + dimension_ - k + n];
    }
  }
  return Done{};
}

}  // namespace caucus
