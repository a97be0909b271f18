// Targets that are classes: their index as a number, the probabilities that outputs mean, and the
// losses of outputs. The outputs of least squares estimate probabilities, but they are neither
// positive nor sharp. So a temperature turns them into probabilities,
//   p_c = exp(f_c / (k s)) / sum over all classes,  k = 0.8,
// where s^2 is the mean squared error of one output; docs/adaptive.md says what else was tried.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include "caucus/core/base/vector.hpp"

namespace caucus {

/// A probability is never smaller, so that no logarithm is infinite.
inline constexpr double kLeastProbability = 1e-6;

/// Returns the index of a class that is stored as a number.
inline std::size_t class_of(double y) { return static_cast<std::size_t>(y); }

/// Returns the first of the likeliest classes.
inline std::size_t likeliest(std::span<const double> probabilities) {
  return static_cast<std::size_t>(std::max_element(probabilities.begin(), probabilities.end()) -
                                  probabilities.begin());
}

/// Returns the sum over the classes of (f_c - 1[y = c])^2; for probabilities the Brier score.
inline double squared_error(std::span<const double> outputs, std::size_t y) {
  double sum = 0.0;
  for (std::size_t c = 0; c < outputs.size(); ++c) {
    const double error = outputs[c] - (c == y ? 1.0 : 0.0);
    sum += error * error;
  }
  return sum;
}

/// Writes the probabilities for outputs that are multiplied by this factor.
inline void softmax(std::span<const double> outputs, double factor, std::span<double> into) {
  double most = factor * outputs[0];
  for (std::size_t c = 0; c < outputs.size(); ++c) {
    into[c] = factor * outputs[c];
    most = std::max(most, into[c]);
  }
  const double sum = exponentials(into, most, into);
  const double rest = 1.0 - kLeastProbability * static_cast<double>(into.size());
  for (double& p : into) p = kLeastProbability + rest * p / sum;
}

/// Returns the factor for outputs whose squared errors, summed over the classes, have this mean.
inline double sharpness(double mean_squared_error, std::size_t classes) {
  constexpr double kTemperature = 0.8;
  constexpr double kLeastError = 1e-4;
  const double each = std::sqrt(mean_squared_error / static_cast<double>(classes));
  return 1.0 / (kTemperature * std::max(each, kLeastError));
}

}  // namespace caucus
