#include "caucus/core/simd/kernels.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "caucus/core/random.hpp"

namespace caucus::simd {
namespace {

/// Everything that a variant computes from the same numbers, one after the other.
std::vector<float> everything(const Kernels& k, std::size_t n, std::uint64_t seed) {
  Stream stream({.seed = seed});
  const auto normals = [&](std::size_t size) {
    std::vector<float> values(size);
    for (float& value : values) value = static_cast<float>(stream.normal());
    return values;
  };
  const auto a = normals(n);
  const auto b = normals(n);
  std::vector<float> all = {static_cast<float>(k.dot(a.data(), b.data(), n))};
  const auto keep = [&](const auto& values) {
    all.insert(all.end(), values.begin(), values.end());
  };
  auto y = b;
  k.add_scaled(y.data(), 0.3F, a.data(), n);
  keep(y);
  k.add_product(y.data(), 0.7F, a.data(), n);
  keep(y);
  k.scale(y.data(), 1.1F, n);
  keep(y);
  all.push_back(static_cast<float>(k.move_and_measure(y.data(), -0.2F, a.data(), n)));
  keep(y);
  const std::size_t width = padded(n + 1);
  const auto base = normals(5 * width);
  const auto x = normals(5 * 7);
  std::array<const float*, 7> rows{};
  for (std::size_t r = 0; r < rows.size(); ++r) rows[r] = x.data() + 5 * r;
  std::vector<float> projections(rows.size() * width);
  k.project(base.data(), 5, width, rows.data(), rows.size(), projections.data());
  keep(projections);
  std::vector<float> cosine(n);
  std::vector<float> sine(n);
  k.sincos(projections.data(), 3.0F, 0.5F, n, cosine.data(), sine.data());
  keep(cosine);
  keep(sine);
  return all;
}

RC_GTEST_PROP(Kernels, VariantsAgree, ()) {
  const auto n = *rc::gen::inRange<std::size_t>(1, 130);
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto portable = everything(kPortable, n, seed);
  std::vector<std::vector<float>> fused;
  for (const Kernels* each : runnable()) {
    const auto values = everything(*each, n, seed);
    for (std::size_t k = 0; k < values.size(); ++k) {
      RC_ASSERT(std::abs(values[k] - portable[k]) <= 1e-4F * (1.0F + std::abs(portable[k])));
    }
    if (each != &kPortable) fused.push_back(values);
  }
  for (const auto& values : fused) RC_ASSERT(values == fused.front());  // to the bit
}

TEST(Kernels, AreChosenByName) {
  for (const Kernels* each : runnable()) {
    ASSERT_TRUE(select(each->name).ok());
    EXPECT_STREQ(kernels().name, each->name);
  }
  ASSERT_TRUE(select("auto").ok());
  EXPECT_EQ(&kernels(), runnable().back());
  const Status unknown = select("mmx");
  ASSERT_FALSE(unknown.ok());
  EXPECT_NE(unknown.error().expected.find("portable"), std::string::npos);
  EXPECT_EQ(&kernels(), runnable().back());
}

}  // namespace
}  // namespace caucus::simd
