#include "caucus/core/mirror/simplex.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "caucus/core/base/text.hpp"
#include "caucus/core/base/vector.hpp"

namespace caucus {

Simplex Simplex::uniform(std::size_t size) {
  return from_log_weights(std::vector<double>(size, 0.0));
}

Simplex Simplex::from_log_weights(std::vector<double> log_weights) {
  Simplex simplex;
  simplex.size_ = log_weights.size();
  simplex.log_weights_.assign(log_weights.begin(), log_weights.end());
  const std::size_t padded = (simplex.size_ + simd::kBlock - 1) / simd::kBlock * simd::kBlock;
  simplex.log_weights_.resize(padded, kNoWeight);
  simplex.moved_.assign(padded, kNoWeight);
  simplex.padded_losses_.assign(padded, 0.0);
  simplex.new_weights_.assign(simd::padded(simplex.size_), 0.0);
  simplex.weights_ = SumTree(simplex.size());
  simplex.weigh_anew();
  return simplex;
}

void Simplex::set_log_weights(std::span<const double> log_weights) {
  std::copy(log_weights.begin(), log_weights.end(), log_weights_.begin());
  weigh_anew();
}

/// Recomputes all weights from their logarithms, of which the largest becomes 0.
void Simplex::weigh_anew() {
  const auto logs = std::span(log_weights_).first(size_);
  const double largest = *std::max_element(logs.begin(), logs.end());
  for (double& value : logs) value -= largest;
  some_.resize(size());
  exponentials(logs, 0.0, some_);
  weights_.set_all(some_);
}

void Simplex::multiply(std::span<const std::uint32_t> indices,
                       std::span<const double> log_factors) {
  some_.resize(2 * indices.size());
  const auto logarithms = std::span(some_).first(indices.size());
  const auto weights = std::span(some_).last(indices.size());
  double largest = -std::numeric_limits<double>::infinity();
  for (std::size_t n = 0; n < indices.size(); ++n) {
    logarithms[n] = log_weights_[indices[n]] += log_factors[n];
    largest = std::max(largest, logarithms[n]);
  }
  if (largest <= kLargestLog) {
    exponentials(logarithms, 0.0, weights);
    weights_.set(indices, weights);
    if (weights_.total() >= kLeastTotal) return;
  }
  weigh_anew();
}

void Simplex::share(double amount) {
  if (amount == 0.0) return;
  const auto K = static_cast<double>(size());
  auto p = probabilities();
  for (double& value : p) value = std::log((1.0 - amount) * value + amount / K);
  set_log_weights(p);
}

void Simplex::shares_of_logs(std::span<const std::uint32_t> indices, std::span<double> out) const {
  double largest = log_weights_[indices.front()];
  for (const std::uint32_t i : indices) largest = std::max(largest, log_weights_[i]);
  double sum = 0.0;
  for (std::size_t n = 0; n < indices.size(); ++n) {
    out[n] = std::exp(log_weights_[indices[n]] - largest);
    sum += out[n];
  }
  for (double& share : out) share /= sum;
}

std::vector<double> Simplex::probabilities() const {
  std::vector<double> p(size());
  for (std::size_t i = 0; i < size(); ++i) p[i] = (*this)[i];
  return p;
}

std::vector<double> Simplex::log_probabilities() const {
  std::vector<double> log_p(log_weights_.begin(),
                            log_weights_.begin() + static_cast<std::ptrdiff_t>(size_));
  const double log_sum = std::log(weights_.total());
  for (double& value : log_p) value -= log_sum;
  return log_p;
}

void Simplex::save(StateWriter& to) const {
  to.numbers(std::span(log_weights_).first(size_));
  weights_.save(to);
}

Status Simplex::restore(StateReader& from) {
  const auto logs = std::span(log_weights_).first(size_);
  from.numbers(logs);
  CAUCUS_CHECK(weights_.restore(from));
  for (std::size_t i = 0; i < size_; ++i) {
    constexpr double kTolerance = 1e-6;
    constexpr double kUnderflown = 1e-290;
    const double weight = std::exp(logs[i]);
    const double distance = std::abs(weights_[i] - weight);
    if (!(logs[i] <= kLargestLog) || !(distance <= kTolerance * weight + kUnderflown)) {
      return from.refuse(
          "a probability's logarithm " + to_text(logs[i]) + " and weight " + to_text(weights_[i]),
          "expected a number and its exponential");
    }
  }
  if (!(weights_.total() >= kLeastTotal)) {
    return from.refuse("probabilities that sum to " + to_text(weights_.total()),
                       "expected more than 0");
  }
  return Done{};
}

static double sum_tolerance(std::size_t size) {
  return std::max(1e-14, static_cast<double>(size) * std::numeric_limits<double>::epsilon());
}

WeightedEntropy::WeightedEntropy(std::vector<double> weights) : weights_(std::move(weights)) {
  for (const double weight : weights_) {
    inverse_weights_.push_back(1.0 / weight);
    most_inverse_ = std::max(most_inverse_, inverse_weights_.back());
    equal_ = equal_ && weight == weights_.front();
  }
  padded_inverse_.assign((weights_.size() + simd::kBlock - 1) / simd::kBlock * simd::kBlock, 0.0);
  std::copy(inverse_weights_.begin(), inverse_weights_.end(), padded_inverse_.begin());
}

void WeightedEntropy::descend(Simplex& p, std::span<const double> losses, double rate) const {
  if (p.size() == 1 || rate == 0.0) return;
  if (equal_) return multiply_all(p, losses, rate);
  const auto differs = [&](double loss) { return loss != losses.front(); };
  if (std::none_of(losses.begin(), losses.end(), differs)) return;  // nu cancels equal losses
  std::copy(losses.begin(), losses.end(), p.padded_losses_.begin());
  const double total = p.weights_.total();
  const double excess = total - 1.0;  // ln(1 + excess) = excess if it is tiny
  simd::EntropyStep step{};
  step.n = p.size();
  step.log_p = p.log_weights_.data();
  step.p = p.weights_.padded_values();
  step.inverse = padded_inverse_.data();
  step.losses = p.padded_losses_.data();
  step.log_total = std::abs(excess) < 1e-8 ? excess : std::log(total);
  step.rate = rate;
  step.most_inverse = most_inverse_;
  step.tolerance = sum_tolerance(p.size());
  step.moved = p.moved_.data();
  step.weights = p.new_weights_.data();
  const bool short_enough = simd::kernels().entropy_step(step);
  if (!short_enough) return newton(p, losses, rate);
  p.log_weights_.swap(p.moved_);
  p.weights_.swap_all(p.new_weights_);
}

/// The step for equal C_i, where a common part of the losses cancels.
void WeightedEntropy::multiply_all(Simplex& p, std::span<const double> losses, double rate) const {
  double common = losses.front();
  for (const double loss : losses) common = std::min(common, loss);
  std::copy(losses.begin(), losses.end(), p.padded_losses_.begin());
  const bool moderate = simd::kernels().move_logs(
      p.log_weights_.data(), p.padded_losses_.data(), common, -rate * inverse_weights_.front(),
      Simplex::kLargestLog, p.log_weights_.size(), p.new_weights_.data());
  if (moderate) {
    p.weights_.swap_all(p.new_weights_);
    if (p.weights_.total() >= Simplex::kLeastTotal) return;
  }
  p.weigh_anew();
}

void WeightedEntropy::descend(Simplex& p, std::span<const IndexedLoss> losses, double rate) const {
  if (!equal_ || p.size() <= kFew) {
    p.losses_.assign(p.size(), 0.0);
    for (const auto& [index, loss] : losses) p.losses_[index] = loss;
    return descend(p, p.losses_, rate);
  }
  if (p.size() == 1 || rate == 0.0) return;
  // A common part of the losses cancels.
  double common = 0.0;
  if (losses.size() == p.size()) {
    common = losses.front().loss;
    for (const IndexedLoss& each : losses) common = std::min(common, each.loss);
  }
  const double factor = -rate * inverse_weights_.front();
  p.changed_.clear();
  p.log_factors_.clear();
  for (const auto& [index, loss] : losses) {
    if (loss == common) continue;
    p.changed_.push_back(index);
    p.log_factors_.push_back(factor * (loss - common));
  }
  if (!p.changed_.empty()) p.multiply(p.changed_, p.log_factors_);
}

// h(nu) = ln sum_i p_i exp(-(rate / C_i)(c_i + nu)) is convex and decreases from h(-max c) >= 0 to
// h(-min c) <= 0. Newton's method started left of the root never passes it; the bracket guards the
// first step and against rounding. The first nu is the root of the linear part of h in the losses,
// corrected for the quadratic part. The last step is so short that it needs no exponentials.
void WeightedEntropy::newton(Simplex& p, std::span<const double> losses, double rate) const {
  const std::size_t K = p.size();
  const auto [least, most] = std::minmax_element(losses.begin(), losses.end());
  double left = -*most;
  double right = -*least;
  p.some_.resize(3 * K);
  const auto unmoved = std::span(p.some_).first(K);
  const auto moved = std::span(p.some_).subspan(K, K);
  const auto weights = std::span(p.some_).last(K);
  const double log_total = std::log(p.weights_.total());
  double nu = 0.0;
  double scale = 0.0;
  for (std::size_t i = 0; i < K; ++i) {
    unmoved[i] = p.log_weights_[i] - log_total - rate * inverse_weights_[i] * losses[i];
    nu -= p.weights_[i] * inverse_weights_[i] * losses[i];
    scale += p.weights_[i] * inverse_weights_[i];
  }
  nu /= scale;
  double squares = 0.0;
  for (std::size_t i = 0; i < K; ++i) {
    const double shrinkage = inverse_weights_[i] * (losses[i] + nu);
    squares += p.weights_[i] * shrinkage * shrinkage;
  }
  nu = std::clamp(nu + 0.5 * rate * squares / scale, left, right);

  const double tolerance = sum_tolerance(K);
  constexpr int kMostSteps = 200;
  double largest = 0.0;
  for (int step = 0; step < kMostSteps; ++step) {
    largest = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < K; ++i) {
      moved[i] = unmoved[i] - rate * inverse_weights_[i] * nu;
      largest = std::max(largest, moved[i]);
    }
    const double sum = exponentials(moved, largest, weights);
    const double h = largest + std::log(sum);
    if (std::abs(h) <= tolerance) break;
    (h > 0.0 ? left : right) = nu;
    double slope = 0.0;
    for (std::size_t i = 0; i < K; ++i) slope += weights[i] * inverse_weights_[i];
    const double newton_step = h * sum / (slope * rate);
    constexpr double kShort = 1e-8;  // its square is below the precision of a double
    if (std::abs(h) <= kShort && rate * std::abs(newton_step) * most_inverse_ <= kShort) {
      for (std::size_t i = 0; i < K; ++i) {
        const double shrinkage = rate * inverse_weights_[i] * newton_step;
        moved[i] -= shrinkage;
        weights[i] -= weights[i] * shrinkage;
      }
      break;
    }
    double next = nu + newton_step;
    if (!(next > left && next < right)) next = left + 0.5 * (right - left);
    if (next == nu || next == left || next == right) break;  // there is no double in between
    nu = next;
  }
  for (std::size_t i = 0; i < K; ++i) p.log_weights_[i] = moved[i] - largest;
  p.weights_.set_all(weights);
}

}  // namespace caucus
