#include "caucus/engine/blocked_clients.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "caucus/algorithms/statistics/statistics_oms.hpp"
#include "caucus/core/simd/kernels.hpp"
#include "caucus/engine/simulated_clients.hpp"
#include "caucus/engine/test_source.hpp"

namespace caucus {
namespace {

static_assert(std::is_same_v<ClientBackend<StatisticsOms>, BlockedClients<StatisticsOms>>);

struct Setting {
  Loss loss;
  UploadRule uploads;
  bool personal = true;
  std::size_t sample_size = 2;

  [[nodiscard]] std::string text() const {
    return loss.name() + " least " + std::to_string(uploads.least) +
           (uploads.hides_examples ? " hiding" : "") + (personal ? " personal" : "");
  }
};

constexpr std::size_t kInputs = 4;  // of TestSource

/// Spaces of every kind that least squares can learn, and a frozen expert.
std::vector<Space> spaces() {
  const auto kernel = [](double width, std::uint32_t features, bool intercept) {
    return Space{
        .kind = SpaceKind::gaussian, .intercept = intercept, .width = width, .features = features};
  };
  std::vector<Space> list = {
      kernel(1.0, 40, true),           Space{.intercept = true},
      kernel(2.0, 40, true),           Space{.radius = 0.5, .intercept = true},
      kernel(1.5, 7, false),           Space{.radius = 2.0},
      Space{.kind = SpaceKind::expert}};
  list.back().function = [](std::span<const float> x) { return x[1]; };
  return list;
}

StatisticsOms made(const Setting& setting) {
  auto maps = FeatureMaps::make(spaces(), {kInputs, 0}, 1, 0, setting.sample_size).value();
  const auto plan = std::make_shared<const Plan>(Plan{std::move(maps), setting.loss});
  return StatisticsOms(std::make_shared<const StatisticsSettings>(
      StatisticsSettings{plan, setting.sample_size, setting.uploads, setting.personal, 0.0, 1, 0}));
}

struct Outcome {
  std::vector<double> forecasts;
  std::size_t upload_bits = 0, download_bits = 0;
  std::vector<std::size_t> of_class;
  LearnedModel learned;
};

template <template <class> class Backend>
Outcome play(const Setting& setting, const TestSource& source, std::size_t rounds) {
  Outcome outcome;
  Server<StatisticsOms> server(made(setting));
  Telemetry telemetry(setting.loss, source.clients());
  SimulatedClients<StatisticsOms, TestSource, Backend<StatisticsOms>> clients(
      server, source, {0.2, 1, 0}, telemetry,
      [&](std::size_t, std::size_t, double output) { outcome.forecasts.push_back(output); }, 1,
      setting.uploads);
  for (Batch batch{0, 0, 0}; batch.last < rounds;) {
    const std::size_t first = batch.last;
    const std::size_t length = setting.uploads.length_after(first);
    batch = {batch.number + 1, first, setting.uploads.end_of(first, first + length, rounds)};
    clients.play(server, batch);
    server.close(batch);
  }
  outcome.forecasts.push_back(telemetry.loss);
  outcome.forecasts.push_back(telemetry.log_loss);
  outcome.of_class = telemetry.of_class;
  outcome.upload_bits = telemetry.upload_bits;
  outcome.download_bits = telemetry.download_bits;
  outcome.learned = server.algorithm().learned();
  return outcome;
}

TEST(BlockedClients, GiveTheBitsOfOneExampleAtATime) {
  const TestSource source({90, 0, 120, 3, 33, 120, 120, 17});
  UploadRule hiding{0, 0.3};
  hide_examples(hiding, spaces(), Loss(), kInputs, 3);
  const std::vector<UploadRule> rules = {
      hiding, {0, 0.2, 1, false}, {0, 0.5, 23, false}, {16, 0.3, 1, false}};
  for (const Loss& loss : {Loss(SquareLoss{}), Loss(AbsoluteLoss{}), Loss(LogisticLoss{})}) {
    for (const UploadRule& rule : rules) {
      for (const bool personal : {false, true}) {
        const Setting setting{loss, rule, personal, personal ? 2U : 4U};
        const Outcome plain = play<PlainClients>(setting, source, 120);
        const Outcome blocked = play<BlockedClients>(setting, source, 120);
        EXPECT_EQ(plain.forecasts.size(), 505U);
        EXPECT_EQ(plain.forecasts, blocked.forecasts) << setting.text();
        EXPECT_EQ(plain.upload_bits, blocked.upload_bits) << setting.text();
        EXPECT_EQ(plain.download_bits, blocked.download_bits) << setting.text();
        EXPECT_EQ(plain.learned.weights, blocked.learned.weights) << setting.text();
        EXPECT_EQ(plain.learned.probabilities, blocked.learned.probabilities) << setting.text();
      }
    }
  }
}

TEST(BlockedClients, GiveTheBitsOfOneExampleOfAClassAtATime) {
  constexpr std::size_t kClasses = 3;
  const Loss loss(ClassesLoss{{}, kClasses});
  const TestSource source({90, 0, 120, 3, 33, 120, 120, 17}, TestSource::kNever, kClasses);
  UploadRule hiding{0, 0.3};
  hide_examples(hiding, spaces(), loss, kInputs, 3);
  for (const UploadRule& rule : {hiding, UploadRule{0, 0.2, 1, false}, UploadRule{16, 0.3, 1}}) {
    for (const bool personal : {false, true}) {
      const Setting setting{loss, rule, personal, personal ? 2U : 4U};
      const Outcome plain = play<PlainClients>(setting, source, 120);
      const Outcome blocked = play<BlockedClients>(setting, source, 120);
      EXPECT_EQ(plain.forecasts, blocked.forecasts) << setting.text();
      EXPECT_EQ(plain.of_class, blocked.of_class) << setting.text();
      EXPECT_EQ(plain.upload_bits, blocked.upload_bits) << setting.text();
      EXPECT_EQ(plain.learned.weights, blocked.learned.weights) << setting.text();
      EXPECT_EQ(plain.learned.probabilities, blocked.learned.probabilities) << setting.text();
      std::size_t forecasts = 0;
      std::size_t right = 0;
      for (std::size_t c = 0; c < kClasses; ++c) {
        forecasts += plain.of_class[3 * c];
        right += plain.of_class[3 * c + 2];
      }
      EXPECT_EQ(forecasts, 503U);
      EXPECT_GT(right, forecasts / 2) << setting.text();
    }
  }
}

}  // namespace
}  // namespace caucus
