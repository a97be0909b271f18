#include "caucus/core/personal/recursive_ridge.hpp"

#include <cassert>
#include <cmath>
#include <cstdint>
#include <string>

#include "caucus/core/simd/kernels.hpp"

namespace caucus {

RecursiveRidge::RecursiveRidge(std::size_t dimension, double ridge, double forgetting,
                               std::size_t targets)
    : dimension_(dimension),
      targets_(targets),
      width_(padded(dimension + targets)),
      ridge_(ridge),
      forgetting_(forgetting),
      numbers_(inverses() + padded(dimension), 0.0) {
  assert(dimension > 0 && targets > 0 && ridge > 0.0 && forgetting > 0.0 && forgetting <= 1.0);
  // What is added brings the ridge, which has decayed since its last turn, back to ridge_.
  const double decayed = std::pow(forgetting_, static_cast<double>(dimension_));
  renewed_ = std::sqrt(ridge_ * (1.0 - decayed));
  for (std::size_t k = 0; k < dimension; ++k) {
    numbers_[inverses() + k] = 1.0 / ridge;
    numbers_[place(k, k)] = 1.0;
  }
}

RecursiveRidge::Projection RecursiveRidge::new_projection() const {
  Projection made;
  made.numbers_.assign(width_ + 2 * padded(dimension_), 0.0);
  return made;
}

void RecursiveRidge::begin(std::span<const double> features, Projection& into) const {
  assert(features.size() <= dimension_ && !into.numbers_.empty());
  into.usable_ = true;
  for (const double value : features) into.usable_ &= std::abs(value) <= kLargest;
  double* const row = into.numbers_.data();
  std::fill(std::copy(features.begin(), features.end(), row), row + width_, 0.0);
  into.done_ = 0;
}

void RecursiveRidge::project(std::size_t used, Projection& into) const {
  assert(into.done_ <= used && used <= dimension_);
  double* const row = into.numbers_.data();
  simd::kernels().ridge_project(numbers_.data(), width_, into.done_, used, row, row + width_);
  into.done_ = used;
}

double RecursiveRidge::predict(std::span<const double> features, std::size_t target) const {
  assert(target < targets_);
  Projection projection = new_projection();
  begin(features, projection);
  project(features.size(), projection);
  return forecast(projection, target);
}

void RecursiveRidge::observe(std::span<const double> features, std::span<const double> targets) {
  assert(features.size() == dimension_);
  Projection projection = new_projection();
  begin(features, projection);
  project(dimension_, projection);
  observe(projection, targets);
}

void RecursiveRidge::observe(Projection& example, std::span<const double> targets) {
  assert(example.done_ == dimension_ && targets.size() == targets_);
  bool usable = example.usable_;
  for (const double value : targets) usable &= std::abs(value) <= kLargest;
  if (!usable) return;
  double* const row = example.numbers_.data();
  // It holds minus the forecasts, so that these become what the forecasts missed.
  for (std::size_t n = 0; n < targets_; ++n) row[dimension_ + n] += targets[n];
  update(example, 0, forgetting_);
  if (forgetting_ == 1.0) return;
  std::fill_n(row, width_ + next_, 0.0);  // the projection of the first features is 0, too
  row[next_] = renewed_;
  example.done_ = next_;
  project(dimension_, example);
  update(example, next_, 1.0);
  next_ = (next_ + 1) % dimension_;
}

void RecursiveRidge::update(Projection& example, std::size_t first, double forgetting) {
  double* const row = example.numbers_.data();
  std::fill_n(row, dimension_, 0.0);
  double* const projected = row + width_;
  simd::kernels().ridge_update({numbers_.data(), numbers_.data() + inverses(), width_, dimension_,
                                first, 1.0 / forgetting, row, projected,
                                projected + padded(dimension_)});
}

void RecursiveRidge::save(StateWriter& to) const {
  std::vector<double> numbers;
  each_number(*this, [&](double value) { numbers.push_back(value); });
  to.numbers(numbers);
  to.u64(next_);
}

Status RecursiveRidge::restore(StateReader& from) {
  std::size_t count = 0;
  each_number(*this, [&](double) { ++count; });
  std::vector<double> numbers(count);
  from.numbers(numbers);
  const std::uint64_t next = from.u64();
  CAUCUS_CHECK(from.status());
  if (!all_finite(numbers)) return from.refuse("a factor", "expected finite numbers");
  if (next >= dimension_) {
    return from.refuse("the weight " + std::to_string(next),
                       "expected one below " + std::to_string(dimension_));
  }
  next_ = static_cast<std::size_t>(next);
  auto value = numbers.begin();
  each_number(*this, [&](double& number) { number = *value++; });
  for (std::size_t k = 0; k < dimension_; ++k) {
    if (!(numbers_[inverses() + k] > 0.0))
      return from.refuse("a factor", "expected a positive diagonal");
  }
  return Done{};
}

}  // namespace caucus
