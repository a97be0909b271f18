#include "caucus/algorithms/baseline_settings.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace caucus {
namespace {

TEST(BaselineSettings, TheDefaultsAreValid) { EXPECT_TRUE(BaselineSettings{}.validate().ok()); }

TEST(BaselineSettings, WhatNoAlgorithmCanUseIsRefused) {
  const auto refused = [](auto change) {
    BaselineSettings settings;
    change(settings);
    return !settings.validate().ok();
  };
  EXPECT_TRUE(refused([](auto& s) { s.sampled = 0; }));
  EXPECT_TRUE(refused([](auto& s) { s.clients = 0; }));
  EXPECT_TRUE(refused([](auto& s) { s.rates.weight_rate = -1.0; }));
  EXPECT_TRUE(refused([](auto& s) { s.rates.model_rate = std::nan(""); }));
  EXPECT_TRUE(
      refused([](auto& s) { s.rates.regularization = std::numeric_limits<double>::infinity(); }));
  EXPECT_TRUE(refused([](auto& s) { s.rates.exploration = 0.0; }));
  EXPECT_TRUE(refused([](auto& s) { s.rates.exploration = 1.5; }));
}

}  // namespace
}  // namespace caucus
