#include "caucus/core/symmetric_matrix.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "caucus/core/random.hpp"

namespace caucus {
namespace {

RC_GTEST_PROP(SymmetricMatrix, AgreesWithAFullMatrix, ()) {
  const auto d = *rc::gen::inRange<std::size_t>(1, 60);
  const auto reports = *rc::gen::inRange<std::size_t>(0, 6);
  Stream stream({.seed = *rc::gen::arbitrary<std::uint64_t>()});
  std::vector<std::vector<double>> fused;
  const auto vectors_of = [&](std::size_t padded) {
    std::vector<std::vector<double>> list(reports + 1, std::vector<double>(padded, 0.0));
    for (auto& vector : list) {
      for (std::size_t k = 0; k < d; ++k) vector[k] = stream.normal();
    }
    return list;
  };
  const auto vectors = vectors_of(SymmetricMatrix(d).padded_size());
  std::vector<const double*> pointers;
  std::vector<double> factors;
  for (std::size_t j = 0; j < reports; ++j) {
    pointers.push_back(vectors[j].data());
    factors.push_back(stream.uniform());
  }
  std::vector<double> full(d * d, 0.0);
  for (std::size_t j = 0; j < reports; ++j) {
    for (std::size_t k = 0; k < d; ++k) {
      for (std::size_t l = 0; l < d; ++l)
        full[k * d + l] += factors[j] * vectors[j][k] * vectors[j][l];
    }
  }
  for (std::size_t k = 0; k < d; ++k) full[k * d + k] += 0.5;
  const auto& x = vectors.back();
  for (const simd::Kernels* each : simd::runnable()) {
    RC_ASSERT(simd::select(each->name).ok());
    SymmetricMatrix matrix(d);
    matrix.add_to_diagonal(0.5);
    std::vector<double> y(matrix.padded_size(), 99.0);
    std::vector<double> image(y.size(), 99.0);
    matrix.add_and_multiply(pointers, factors, x, image);
    matrix.multiply(x, y);
    for (std::size_t k = 0; k < d; ++k) {
      double expected = 0.0;
      for (std::size_t l = 0; l < d; ++l) {
        expected += full[k * d + l] * x[l];
        RC_ASSERT(std::abs(matrix(k, l) - full[k * d + l]) <
                  1e-12 * (1.0 + std::abs(full[k * d + l])));
      }
      RC_ASSERT(std::abs(y[k] - expected) < 1e-11 * (1.0 + std::abs(expected)));
    }
    for (std::size_t k = d; k < y.size(); ++k) RC_ASSERT(y[k] == 0.0);
    double squares = 0.0;
    for (const double value : y) squares += value * value;
    RC_ASSERT(std::abs(dot_padded(y, y) - squares) <= 1e-13 * squares);
    RC_ASSERT(image == y);
    if (std::string(each->name) != "portable") fused.push_back(y);
    matrix.scale(2.0);
    RC_ASSERT(std::abs(matrix(0, 0) - 2.0 * full[0]) < 1e-11 * (1.0 + full[0]));
  }
  RC_ASSERT(simd::select("auto").ok());
  for (const auto& y : fused) RC_ASSERT(y == fused.front());  // to the bit
}

}  // namespace
}  // namespace caucus
