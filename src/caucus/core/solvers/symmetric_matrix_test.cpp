#include "caucus/core/solvers/symmetric_matrix.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "caucus/core/base/random.hpp"

namespace caucus {
namespace {

RC_GTEST_PROP(SymmetricMatrix, AgreesWithAFullMatrix, ()) {
  const auto d = *rc::gen::inRange<std::size_t>(1, 60);
  const auto reports = *rc::gen::inRange<std::size_t>(0, 6);
  Stream stream({.seed = *rc::gen::arbitrary<std::uint64_t>()});
  std::vector<std::vector<double>> fused;
  const std::size_t padded = SymmetricMatrix(d).padded_size();
  std::vector<float> vectors(reports * padded, 0.0F);
  std::vector<double> full(d * d, 0.0);
  const double factor = 1.0 + stream.uniform();
  double most = 0.0;  // the allowed error of sums of floats
  for (std::size_t j = 0; j < reports; ++j) {
    float* const v = vectors.data() + j * padded;
    for (std::size_t k = 0; k < d; ++k) v[k] = static_cast<float>(stream.normal());
    for (std::size_t k = 0; k < d; ++k) {
      for (std::size_t l = 0; l < d; ++l) {
        const double product = factor * static_cast<double>(v[k]) * static_cast<double>(v[l]);
        full[k * d + l] += product;
        most = std::max(most, 1e-6 * std::abs(product));
      }
    }
  }
  std::vector<double> x(padded, 0.0);
  for (std::size_t k = 0; k < d; ++k) x[k] = stream.normal();
  for (const simd::Kernels* each : simd::runnable()) {
    RC_ASSERT(simd::select(each->name).ok());
    SymmetricMatrix matrix(d);
    std::vector<double> y(matrix.padded_size(), 99.0);
    matrix.add(vectors, factor);
    matrix.multiply(x, y);
    for (std::size_t k = 0; k < d; ++k) {
      double expected = 0.0;
      for (std::size_t l = 0; l < d; ++l) {
        expected += matrix(k, l) * x[l];
        RC_ASSERT(std::abs(matrix(k, l) - full[k * d + l]) <= most);
        RC_ASSERT(matrix(k, l) == matrix(l, k));
      }
      RC_ASSERT(std::abs(y[k] - expected) < 1e-11 * (1.0 + std::abs(expected)));
    }
    for (std::size_t k = d; k < y.size(); ++k) RC_ASSERT(y[k] == 0.0);
    double squares = 0.0;
    for (const double value : y) squares += value * value;
    RC_ASSERT(std::abs(dot_padded(y, y) - squares) <= 1e-13 * squares);
    if (std::string(each->name) != "portable") fused.push_back(y);
    const double first = matrix(0, 0);
    matrix.scale(2.0);
    RC_ASSERT(matrix(0, 0) == 2.0 * first);
  }
  RC_ASSERT(simd::select("auto").ok());
  for (const auto& y : fused) RC_ASSERT(y == fused.front());  // to the bit
}

}  // namespace
}  // namespace caucus
