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
      factor_(place(padded(dimension), padded(dimension)), 0.0),
      inverses_(padded(dimension), 0.0) {
  assert(dimension > 0 && targets > 0 && ridge > 0.0 && forgetting > 0.0 && forgetting <= 1.0);
  // What is added brings the ridge, which has decayed since its last turn, back to ridge_.
  const double decayed = std::pow(forgetting_, static_cast<double>(dimension_));
  renewed_ = std::sqrt(ridge_ * (1.0 - decayed));
  for (std::size_t k = 0; k < dimension; ++k) {
    inverses_[k] = 1.0 / ridge;
    factor_[place(k, k)] = 1.0;
  }
}

RecursiveRidge::Projection RecursiveRidge::new_projection() const {
  Projection made;
  made.row_.assign(width_, 0.0);
  made.projected_.assign(inverses_.size(), 0.0);
  made.rates_.assign(inverses_.size(), 0.0);
  return made;
}

void RecursiveRidge::begin(std::span<const double> features, Projection& into) const {
  assert(features.size() <= dimension_ && into.row_.size() == width_);
  into.usable_ = true;
  for (const double value : features) into.usable_ &= std::abs(value) <= kLargest;
  const auto rest = std::copy(features.begin(), features.end(), into.row_.begin());
  std::fill(rest, into.row_.end(), 0.0);
  into.done_ = 0;
}

void RecursiveRidge::project(std::size_t used, Projection& into) const {
  assert(into.done_ <= used && used <= dimension_);
  simd::kernels().ridge_project(factor_.data(), width_, into.done_, used, into.row_.data(),
                                into.projected_.data());
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
  // row_ holds minus the forecasts, so that these are what the forecasts missed.
  for (std::size_t n = 0; n < targets_; ++n) example.row_[dimension_ + n] += targets[n];
  update(example, 0, forgetting_);
  if (forgetting_ == 1.0) return;
  std::fill(example.row_.begin(), example.row_.end(), 0.0);
  std::fill_n(example.projected_.begin(), next_, 0.0);
  example.row_[next_] = renewed_;
  example.done_ = next_;
  project(dimension_, example);
  update(example, next_, 1.0);
  next_ = (next_ + 1) % dimension_;
}

void RecursiveRidge::update(Projection& example, std::size_t first, double forgetting) {
  std::fill_n(example.row_.begin(), dimension_, 0.0);
  simd::kernels().ridge_update({factor_.data(), inverses_.data(), width_, dimension_, first,
                                1.0 / forgetting, example.row_.data(), example.projected_.data(),
                                example.rates_.data()});
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
    if (!(inverses_[k] > 0.0)) return from.refuse("a factor", "expected a positive diagonal");
  }
  return Done{};
}

}  // namespace caucus
