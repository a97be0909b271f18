#include "caucus/core/personal/change_detector.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "caucus/core/base/random.hpp"

namespace caucus {
namespace {

/// The statistic c after each round from `begin` on, computed from the whole past in every round.
std::vector<double> statistic(const std::vector<double>& errors, std::size_t begin, std::size_t end,
                              std::size_t length) {
  std::vector<double> values;
  double usual = 0.0;
  double c = 0.0;
  for (std::size_t t = begin; t < end; ++t) {
    if (usual > 0.0) c = std::max(0.0, c + std::min(errors[t] / usual, 12.0) - 2.0);
    values.push_back(c);
    double sum = 0.0;
    double count = 0.0;
    for (std::size_t s = begin; s <= t; ++s) {
      const std::size_t uploads = t / length - s / length;
      const double weight = std::pow(0.5, static_cast<double>(uploads));
      sum += weight * errors[s];
      count += weight;
    }
    if (count >= 20.0 && (usual == 0.0 || sum / count < usual)) usual = sum / count;
  }
  return values;
}

/// Returns the rounds of the alarms. Batches end every `length` rounds.
std::vector<std::size_t> alarms_of(const std::vector<double>& errors, std::size_t length) {
  std::vector<std::size_t> alarms;
  std::size_t begin = 0;
  double largest_peak = 0.0;
  for (std::size_t t = 0; t < errors.size(); ++t) {
    const std::vector<double> c = statistic(errors, begin, t + 1, length);
    if (c.back() == 0.0)
      largest_peak = std::max(largest_peak, *std::max_element(c.begin(), c.end()));
    if (c.back() <= std::max(12.0, 4.0 * largest_peak)) continue;
    alarms.push_back(t);
    begin = t + 1;
  }
  return alarms;
}

std::vector<std::size_t> detected(const std::vector<double>& errors, std::size_t length) {
  ChangeDetector detector;
  std::vector<std::size_t> alarms;
  std::size_t begin = 0;
  for (std::size_t t = 0; t < errors.size(); ++t) {
    if (detector.add(errors[t])) {
      alarms.push_back(t);
      begin = t + 1;
    }
    if ((t + 1) % length == 0 && t + 1 > begin) detector.end_batch();
  }
  return alarms;
}

RC_GTEST_PROP(ChangeDetector, DoesWhatAPlainComputationDoes, ()) {
  Stream stream({.seed = *rc::gen::arbitrary<std::uint64_t>()});
  const auto length = *rc::gen::inRange<std::size_t>(7, 60);
  std::vector<double> errors;
  for (int t = 0; t < 150; ++t) {
    const double level = t < 60 ? 1.0 : t < 100 ? 3.0 : 9.0;
    errors.push_back(level * std::abs(stream.normal()));
  }
  RC_ASSERT(detected(errors, length) == alarms_of(errors, length));
}

TEST(ChangeDetector, NoticesErrorsThatTreble) {
  Stream stream({.seed = 3});
  std::vector<double> errors;
  for (int t = 0; t < 1000; ++t)
    errors.push_back((t < 500 ? 1.0 : 3.5) * std::abs(stream.normal()));
  const auto alarms = detected(errors, 100);
  ASSERT_EQ(alarms.size(), 1U);
  EXPECT_GE(alarms[0], 500U);
  EXPECT_LE(alarms[0], 520U);
}

TEST(ChangeDetector, OutliersAndBetterForecastsAreNoChange) {
  Stream stream({.seed = 4});
  std::vector<double> errors;
  for (int t = 0; t < 5000; ++t) {
    const double outlier = t % 40 == 0 ? 30.0 : 1.0;
    errors.push_back(outlier * (1.0 + 10.0 / (t + 1)) * std::abs(stream.normal()));
  }
  EXPECT_TRUE(detected(errors, 300).empty());
}

TEST(ChangeDetector, GoesOnExactlyAfterARestore) {
  Stream stream({.seed = 5});
  ChangeDetector whole;
  for (int t = 0; t < 300; ++t) {
    StateWriter to;
    whole.save(to);
    ChangeDetector other;
    StateReader from(to.bytes());
    ASSERT_TRUE(other.restore(from).ok());
    const double error = (t < 100 ? 1.0 : 5.0) * std::abs(stream.normal());
    ASSERT_EQ(whole.add(error), other.add(error));
    if (t % 50 == 49) {
      whole.end_batch();
      other.end_batch();
    }
    StateWriter next;
    StateWriter same;
    whole.save(next);
    other.save(same);
    ASSERT_EQ(next.bytes(), same.bytes());
  }
}

TEST(ChangeDetector, RefusesAStateThatCannotBe) {
  for (const double wrong : {-1.0, std::nan(""), HUGE_VAL}) {
    StateWriter to;
    for (int n = 0; n < 5; ++n) to.real(1.0);
    to.real(wrong);
    ChangeDetector detector;
    StateReader from(to.bytes());
    EXPECT_FALSE(detector.restore(from).ok());
  }
}

}  // namespace
}  // namespace caucus
