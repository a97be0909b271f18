// What clients that lie within the checks of reports cost the others.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "caucus/federation/test_poison.hpp"
#include "caucus/federation/test_settings.hpp"

namespace caucus {
namespace {

constexpr std::size_t kPoisonClients = 10;

/// Ten clients with features in [-1, 1] and targets in [0, 1], which have some noise.
class NoisySource {
 public:
  struct Row {
    std::vector<float> x;
    double y = 0.0;
  };
  explicit NoisySource(std::size_t rounds) : rounds_(rounds) {}
  [[nodiscard]] static std::size_t clients() { return kPoisonClients; }
  [[nodiscard]] std::size_t rounds(std::size_t) const { return rounds_; }
  [[nodiscard]] static Row example(std::size_t client, std::size_t round) {
    Stream stream({3, Purpose::test, 0, static_cast<std::uint32_t>(round),
                   static_cast<std::uint32_t>(client)});
    Row row;
    for (int k = 0; k < 4; ++k) row.x.push_back(static_cast<float>(2.0 * stream.uniform() - 1.0));
    const double signal = 0.3 + 0.15 * std::sin(2.0 * static_cast<double>(row.x[0])) +
                          0.1 * static_cast<double>(row.x[1] * row.x[2]);
    row.y = std::clamp(signal + 0.05 * stream.normal(), 0.0, 1.0);
    return row;
  }

 private:
  std::size_t rounds_;
};

FederationSettings poison_settings(ScheduleKind schedule, Robust robust) {
  FederationSettings settings = schedule == ScheduleKind::adaptive
                                    ? growing_settings(kPoisonClients, true)
                                    : test_settings(kPoisonClients, schedule);
  settings.plan.label_delay = 0;
  settings.problem.robust = robust;
  settings.problem.constants.eta = 0.5;
  return settings;
}

double cost(ScheduleKind schedule, Robust robust, Lie lie, std::size_t liars,
            Mode mode = Mode::synchronous) {
  const NoisySource source(schedule == ScheduleKind::adaptive ? 600 : 1200);
  auto settings = poison_settings(schedule, robust);
  settings.problem.mode = mode;
  const auto honest = PoisonRun(settings, source, Lie::none, 0).play(liars);
  const auto poisoned = PoisonRun(settings, source, lie, liars).play(liars);
  EXPECT_EQ(honest.rejected, 0U) << honest.why;
  EXPECT_EQ(poisoned.rejected, 0U) << poisoned.why;  // the lies are within the checks
  return poisoned.loss / honest.loss;
}

TEST(Poison, CostsLittleUnderSumsThatAreClipped) {
  for (const Lie lie : {Lie::flipped, Lie::negated, Lie::largest, Lie::corner}) {
    const int number = static_cast<int>(lie);
    EXPECT_LT(cost(ScheduleKind::adaptive, Robust::clip, lie, 1), 2.0) << number;
    EXPECT_LT(cost(ScheduleKind::adaptive, Robust::clip, lie, 3), 4.0) << number;
  }
}

TEST(Poison, CostsLittleUnderClippedSumsOfClientsThatDoNotWait) {
  for (const Lie lie : {Lie::flipped, Lie::negated, Lie::largest, Lie::corner}) {
    const int number = static_cast<int>(lie);
    EXPECT_LT(cost(ScheduleKind::adaptive, Robust::clip, lie, 1, Mode::asynchronous), 2.0)
        << number;
    EXPECT_LT(cost(ScheduleKind::adaptive, Robust::clip, lie, 3, Mode::asynchronous), 4.0)
        << number;
  }
}

TEST(Poison, CostsLittleUnderSumsThatAreTrimmed) {
  for (const Lie lie : {Lie::flipped, Lie::negated, Lie::largest, Lie::corner}) {
    const int number = static_cast<int>(lie);
    EXPECT_LT(cost(ScheduleKind::adaptive, Robust::trim, lie, 1), 2.0) << number;
    EXPECT_LT(cost(ScheduleKind::adaptive, Robust::trim, lie, 3), 4.0) << number;
  }
}

TEST(Poison, CostsMuchUnderSumsThatAreNot) {  // or the tests above would show nothing
  EXPECT_GT(cost(ScheduleKind::adaptive, Robust::none, Lie::flipped, 3), 4.0);
  EXPECT_GT(cost(ScheduleKind::adaptive, Robust::none, Lie::negated, 3), 4.0);
}

TEST(Poison, CostsLittleUnderGradientsThatAreClipped) {
  for (const ScheduleKind schedule : {ScheduleKind::constant, ScheduleKind::adaptive_first_order}) {
    for (const Lie lie : {Lie::flipped, Lie::growing, Lie::shrinking, Lie::losses}) {
      const std::string shown =
          std::to_string(static_cast<int>(schedule)) + " " + std::to_string(static_cast<int>(lie));
      EXPECT_LT(cost(schedule, Robust::clip, lie, 1), 2.0) << shown;
      EXPECT_LT(cost(schedule, Robust::clip, lie, 3), 4.0) << shown;
    }
  }
}

// Without the inequality on <g, w> one liar drove the loss of the others to 12,087.
TEST(Poison, DoesNotLetAModelGrowWithoutBound) {
  for (const ScheduleKind schedule : {ScheduleKind::constant, ScheduleKind::adaptive_first_order}) {
    EXPECT_LT(cost(schedule, Robust::none, Lie::growing, 1), 30.0);
  }
}

}  // namespace
}  // namespace caucus
