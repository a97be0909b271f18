#include "caucus/data/problems.hpp"

#include <algorithm>
#include <cmath>

namespace caucus {
namespace {

void fill_uniform(std::span<float> x, double half_side, Stream& stream) {
  for (float& value : x) value = static_cast<float>(half_side * (2.0 * stream.uniform() - 1.0));
}

std::vector<double> random_direction(std::size_t features, double norm, Stream& stream) {
  std::vector<double> direction(features);
  double square = 0.0;
  for (double& value : direction) {
    value = stream.normal();
    square += value * value;
  }
  for (double& value : direction) value *= norm / std::sqrt(square);
  return direction;
}

double noisy_score(const std::vector<double>& weights, std::span<const float> x, double noise,
                   Stream& stream) {
  double sum = 0.0;
  for (std::size_t k = 0; k < x.size(); ++k) sum += weights[k] * static_cast<double>(x[k]);
  return sum + noise * stream.normal();
}

double linear_row(const LinearProblem& problem, std::size_t i, std::span<float> x) {
  Stream stream = row_stream(problem.seed, i);
  fill_uniform(x, 1.0, stream);
  return noisy_score(problem.weights, x, problem.noise, stream);
}

}  // namespace

LinearProblem::LinearProblem(std::uint64_t seed_, std::size_t features, double noise_)
    : seed(seed_), noise(noise_) {
  Stream stream({seed, Purpose::problem});
  weights = random_direction(features, kNorm, stream);
}

void LinearProblem::row(std::size_t i, std::span<float> x, float& y) const {
  y = static_cast<float>(linear_row(*this, i, x));
}

void ClassifyProblem::row(std::size_t i, std::span<float> x, float& y) const {
  y = linear_row(score, i, x) > 0.0 ? 1.0f : 0.0f;
}

DriftProblem::DriftProblem(std::uint64_t seed, std::size_t rows_, std::size_t features,
                           double noise)
    : rows(rows_) {
  for (std::uint32_t k = 0; k < kSegments; ++k) {
    segments.emplace_back(seed, features, noise);
    Stream stream({seed, Purpose::problem, 0, k});
    segments.back().weights = random_direction(features, LinearProblem::kNorm, stream);
  }
}

void DriftProblem::row(std::size_t i, std::span<float> x, float& y) const {
  const std::size_t length = (rows + kSegments - 1) / kSegments;
  segments[std::min(i / length, kSegments - 1)].row(i, x, y);
}

KernelProblem::KernelProblem(std::uint64_t seed_, std::size_t features, double noise_)
    : seed(seed_), noise(noise_), centres(kBumps), signs(kBumps) {
  Stream stream({seed, Purpose::problem});
  for (std::size_t b = 0; b < kBumps; ++b) {
    centres[b].resize(features);
    for (double& value : centres[b]) value = kHalfSide * (2.0 * stream.uniform() - 1.0);
    signs[b] = stream.below(2) == 0 ? -1.0 : 1.0;
  }
  constexpr int kProbes = 1000;
  constexpr double kDeviation = 0.2;
  std::vector<float> x(features);
  double sum = 0.0;
  double squares = 0.0;
  for (int probe = 0; probe < kProbes; ++probe) {
    fill_uniform(x, kHalfSide, stream);
    const double value = bumps(x);
    sum += value;
    squares += value * value;
  }
  mean = sum / kProbes;
  scale = kDeviation / std::sqrt(squares / kProbes - mean * mean);
}

double KernelProblem::bumps(std::span<const float> x) const {
  double sum = 0.0;
  for (std::size_t b = 0; b < kBumps; ++b) {
    double square = 0.0;
    for (std::size_t k = 0; k < x.size(); ++k) {
      const double difference = static_cast<double>(x[k]) - centres[b][k];
      square += difference * difference;
    }
    sum += signs[b] * std::exp(-square / (2.0 * kBumpWidth * kBumpWidth));
  }
  return sum;
}

void KernelProblem::row(std::size_t i, std::span<float> x, float& y) const {
  Stream stream = row_stream(seed, i);
  fill_uniform(x, kHalfSide, stream);
  y = static_cast<float>(0.5 + scale * (bumps(x) - mean) + noise * stream.normal());
}

void FullAdversary::row(std::size_t i, std::span<float> x, float& y) const {
  Stream stream = row_stream(seed, i % rounds);
  for (float& coin : x) coin = stream.below(2) == 0 ? 0.0f : 1.0f;
  y = stream.below(2) == 0 ? 0.0f : 1.0f;
}

PartialAdversary::PartialAdversary(std::uint64_t seed_, std::size_t rounds_, std::size_t models,
                                   std::size_t sample_size)
    : seed(seed_),
      rounds(rounds_),
      hidden(Stream({seed_, Purpose::problem}).below(static_cast<std::uint32_t>(models))),
      rho(std::sqrt(static_cast<double>(models)) /
          (3.0 * std::sqrt(static_cast<double>(sample_size) * static_cast<double>(rounds_)))) {}

void PartialAdversary::row(std::size_t i, std::span<float> x, float& y) const {
  Stream stream = row_stream(seed, i % rounds);
  for (std::size_t k = 0; k < x.size(); ++k) {
    const double chance = k == hidden ? (1.0 + rho) / 2.0 : (1.0 - rho) / 2.0;
    x[k] = stream.uniform() < chance ? 1.0f : 0.0f;
  }
  y = 1.0f;
}

}  // namespace caucus
