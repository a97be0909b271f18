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

/// How the clients learn.
struct Way {
  ScheduleKind schedule = ScheduleKind::adaptive;
  Robust robust = Robust::clip;
  Mode mode = Mode::synchronous;
  bool hides_examples = true;
  std::size_t rounds_per_upload = 1;  ///< of gradients
};

FederationSettings poison_settings(const Way& way) {
  const bool sums = way.schedule == ScheduleKind::adaptive;
  FederationSettings settings =
      sums ? growing_settings(kPoisonClients, way.hides_examples)
           : test_settings(kPoisonClients, way.schedule, way.rounds_per_upload);
  if (way.schedule == ScheduleKind::adaptive_first_order) {  // nothing but steps bounds models
    for (Space& space : settings.plan.spaces) {
      space.radius = std::numeric_limits<double>::infinity();
    }
    settings.problem.spaces = settings.plan.spaces;
  }
  settings.plan.label_delay = 0;
  settings.problem.robust = way.robust;
  settings.problem.mode = way.mode;
  settings.problem.constants.eta = 0.5;
  return settings;
}

double cost(const Way& way, Lie lie, std::size_t liars) {
  const NoisySource source(way.schedule == ScheduleKind::adaptive ? 600 : 800);
  const auto settings = poison_settings(way);
  const auto honest = PoisonRun(settings, source, Lie::none, 0).play(liars);
  const auto poisoned = PoisonRun(settings, source, lie, liars).play(liars);
  EXPECT_EQ(honest.rejected, 0U) << honest.why;
  EXPECT_EQ(poisoned.rejected, 0U) << poisoned.why;  // the lies are within the checks
  return poisoned.loss / honest.loss;
}

void expect_little(const Way& way, const std::vector<Lie>& lies, bool of_three = true) {
  for (const Lie lie : lies) {
    EXPECT_LT(cost(way, lie, 1), 2.0) << static_cast<int>(lie);
    if (!of_three) continue;
    EXPECT_LT(cost(way, lie, 3), 4.0) << static_cast<int>(lie);
  }
}

const std::vector<Lie> kLiesAboutSums = {Lie::flipped, Lie::negated, Lie::largest, Lie::corner,
                                         Lie::losses};
const std::vector<Lie> kLiesAboutGradients = {
    Lie::flipped, Lie::negated, Lie::corner, Lie::growing, Lie::shrinking, Lie::tiny, Lie::losses};

TEST(Poison, CostsLittleUnderSumsThatAreClipped) {
  for (const Mode mode : {Mode::synchronous, Mode::asynchronous}) {
    expect_little({.mode = mode}, kLiesAboutSums);
  }
}

TEST(Poison, CostsLittleUnderSumsThatAreTrimmed) {
  for (const Mode mode : {Mode::synchronous, Mode::asynchronous}) {
    expect_little({.robust = Robust::trim, .mode = mode}, kLiesAboutSums);
  }
}

TEST(Poison, CostsLittleUnderSumsOverFewExamples) {
  for (const Robust robust : {Robust::clip, Robust::trim}) {
    for (const Mode mode : {Mode::synchronous, Mode::asynchronous}) {
      expect_little({.robust = robust, .mode = mode, .hides_examples = false}, kLiesAboutSums);
    }
  }
}

TEST(Poison, CostsMuchUnderSumsThatAreNot) {  // or the tests above would show nothing
  EXPECT_GT(cost({.robust = Robust::none}, Lie::flipped, 3), 4.0);
  EXPECT_GT(cost({.robust = Robust::none}, Lie::negated, 3), 4.0);
}

// Three clients are too many for clip under constant rates and for means of gradients.
TEST(Poison, CostsLittleUnderGradientsThatAreClipped) {
  const auto first_order = ScheduleKind::adaptive_first_order;
  expect_little({.schedule = first_order}, kLiesAboutGradients);
  expect_little({.schedule = first_order, .rounds_per_upload = 5}, kLiesAboutGradients, false);
  expect_little({.schedule = ScheduleKind::constant}, kLiesAboutGradients, false);
}

TEST(Poison, CostsLittleUnderGradientsThatAreTrimmed) {
  for (const ScheduleKind schedule : {ScheduleKind::constant, ScheduleKind::adaptive_first_order}) {
    for (const std::size_t rounds : {1U, 5U}) {
      expect_little({.schedule = schedule, .robust = Robust::trim, .rounds_per_upload = rounds},
                    kLiesAboutGradients);
    }
  }
}

TEST(Poison, CostsMuchUnderGradientsThatAreNot) {
  const Way way{.schedule = ScheduleKind::adaptive_first_order, .robust = Robust::none};
  for (const Lie lie : {Lie::flipped, Lie::growing, Lie::shrinking, Lie::losses}) {
    EXPECT_GT(cost(way, lie, 3), 4.0) << static_cast<int>(lie);
  }
}

// Without the inequality on <g, w> one liar drove the loss of the others to 12,087.
TEST(Poison, DoesNotLetAModelGrowWithoutBound) {
  for (const ScheduleKind schedule : {ScheduleKind::constant, ScheduleKind::adaptive_first_order}) {
    EXPECT_LT(cost({.schedule = schedule, .robust = Robust::none}, Lie::growing, 1), 30.0);
  }
}

}  // namespace
}  // namespace caucus
