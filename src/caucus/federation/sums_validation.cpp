#include "caucus/federation/sums_validation.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "caucus/algorithms/statistics/batch_statistics.hpp"
#include "caucus/core/base/text.hpp"
#include "caucus/core/statistics/least_squares.hpp"

namespace caucus {
namespace {

// A sum of floats is off by at most this part of the root of the sums of squares of its factors.
constexpr double kRoundingOfSums = 2e-6;

/// Returns the most that h t^2 can be.
double largest_target(const SumsClaim& claim) {
  const double Y = claim.target_bound;
  if (is_square(*claim.loss)) return Y * Y;
  // sqrt(h) t = sqrt(h) f - l' / (2 sqrt(h)), and l'^2 / (4 h) is at most the loss, or where the
  // least weight is used at most steepest^2 / (4 h).
  const bool linear = std::holds_alternative<LinearLoss>(claim.loss->kind());
  const double heaviest = largest_weight(*claim.loss);
  const double moved = linear ? Y * Y / (4.0 * heaviest) : claim.loss->largest(claim.reach, Y);
  return std::pow(std::sqrt(heaviest) * claim.reach + std::sqrt(moved), 2);
}

double trace_of_features(const SymmetricMatrix& sums, std::size_t targets) {
  double trace = 0.0;
  for (std::size_t k = targets; k < sums.size(); ++k) trace += sums(k, k);
  return trace;
}

/// Returns what is wrong with the sums of the targets of classes: each example has shares of them
/// that sum to 1. Shares of several classes are those of rare ones.
std::optional<std::string> fault_in_classes(const SymmetricMatrix& sums, const SumsClaim& claim) {
  const std::size_t classes = claim.loss->classes();
  double all = 0.0;
  for (std::size_t c = 0; c < classes; ++c) {
    for (std::size_t k = 0; k < classes; ++k) {
      if (sums(c, k) < 0.0) return "a negative product of two classes";
      all += sums(c, k);
    }
    // The sum of y_c y_k over k and that of y_c are the same.
    if (!claim.intercept) continue;
    const double shares = sums(*claim.intercept + classes, c);
    double products = 0.0;
    for (std::size_t k = 0; k < classes; ++k) products += sums(c, k);
    if (std::abs(shares - products) > kRounding * claim.examples) {
      return "shares of a class that do not fit its examples";
    }
  }
  if (std::abs(all - claim.examples) <= kRounding * claim.examples) return std::nullopt;
  return "classes of " + to_text(all) + " examples where there are " + to_text(claim.examples);
}

}  // namespace

std::string beyond(const char* what, double value, double bound) {
  return std::string(what) + " " + to_text(value) + " is beyond " + to_text(bound);
}

std::optional<std::string> fault_in_sums(const SymmetricMatrix& sums, const SumsClaim& claim) {
  if (!is_semidefinite(sums)) return "sums that are not positive semidefinite";
  const double n = claim.examples;
  const double heaviest = largest_weight(*claim.loss);
  const std::size_t targets = claim.loss->outputs();
  const double trace = trace_of_features(sums, targets);
  const double most = heaviest * n * claim.feature_bound * claim.feature_bound * (1.0 + kRounding);
  if (trace > most + kTiny) return beyond("sum of squared features", trace, most);
  const double most_targets = n * largest_target(claim) * (1.0 + kRounding);
  if (claim.loss->has_classes()) {
    if (auto found = fault_in_classes(sums, claim)) return found;
  } else if (sums(0, 0) > most_targets + kTiny) {
    return beyond("sum of squared targets", sums(0, 0), most_targets);
  }
  if (claim.intercept && is_square(*claim.loss)) {
    const double ones = sums(*claim.intercept + targets, *claim.intercept + targets);
    if (std::abs(ones - n) > kRounding * n) {
      return "an intercept whose squares sum up to " + to_text(ones) + " over " + to_text(n) +
             " examples";
    }
  }
  return std::nullopt;
}

std::optional<std::string> fault_in_loss(const SymmetricMatrix& sums, const SumsClaim& claim,
                                         std::span<const double> weights, double mean_loss) {
  const double n = claim.examples;
  const std::size_t targets = claim.loss->outputs();
  const std::size_t size = weights.size() / targets;
  std::vector<double> v(sums.padded_size(), 0.0);
  std::vector<double> image(sums.padded_size(), 0.0);
  double magnitude = 0.0;  // of the terms that cancel in the image
  double by_sums = 0.0;
  double cancelled = 0.0;
  for (std::size_t c = 0; c < targets; ++c) {
    std::fill(v.begin(), v.end(), 0.0);
    v[c] = -1.0;
    const auto own = weights.subspan(c * size, size);
    std::copy(own.begin(), own.end(), v.begin() + static_cast<std::ptrdiff_t>(targets));
    sums.multiply(v, image);  // (b'w - s, Aw - b)
    magnitude = 0.0;
    for (std::size_t k = 0; k < sums.size(); ++k) {
      magnitude += std::abs(v[k]) * std::sqrt(std::max(0.0, sums(k, k)));
    }
    by_sums += std::max(0.0, dot_padded(v, image));
    cancelled += magnitude * magnitude;
  }
  if (is_square(*claim.loss)) {
    const double room = kRounding * std::max(by_sums, n * mean_loss) + kRoundingOfSums * cancelled;
    if (std::abs(by_sums - n * mean_loss) <= room + kTiny) return std::nullopt;
    return "a loss of " + to_text(mean_loss) + ", where the sums have " + to_text(by_sums / n);
  }
  double square = 0.0;
  for (std::size_t k = 1; k < sums.size(); ++k) square += image[k] * image[k];
  const double slope = claim.loss->steepest(claim.reach, claim.target_bound);
  const double most =
      n * slope * claim.feature_bound * (1.0 + kRounding) +
      2.0 * kRoundingOfSums * magnitude * std::sqrt(trace_of_features(sums, targets));
  const double gradient = 2.0 * std::sqrt(square);
  if (gradient <= most + kTiny) return std::nullopt;
  return beyond("sum of gradients", gradient, most);
}

}  // namespace caucus
