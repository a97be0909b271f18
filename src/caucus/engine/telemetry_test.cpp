#include "caucus/engine/telemetry.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <type_traits>

#include "caucus/algorithms/fomd_oms.hpp"
#include "caucus/engine/simulated_clients.hpp"
#include "caucus/engine/test_source.hpp"

namespace caucus {
namespace {

/// With classes for targets, which every loss can bear.
class ClassSource : public TestSource {
 public:
  using TestSource::TestSource;
  [[nodiscard]] Example example(std::size_t client, std::size_t round) const {
    const Example one = TestSource::example(client, round);
    return {one.x, one.y > 0.4 ? 1.0 : -1.0};
  }
};

const std::vector<Loss>& all_losses() {
  static const std::vector<Loss> losses = {
      Loss(SquareLoss{}), Loss(AbsoluteLoss{}),   Loss(HuberLoss{0.3}), Loss(LogisticLoss{}),
      Loss(HingeLoss{}),  Loss(PinballLoss{0.2}), Loss(LinearLoss{})};
  return losses;
}

FomdOms make_server(const Loss& loss) {
  auto maps = FeatureMaps::make({Space{.radius = 1.0}, Space{.radius = 2.0},
                                 Space{.kind = SpaceKind::gaussian, .radius = 3.0, .features = 20}},
                                {4, 0}, 1, 0, 2);
  auto plan = std::make_shared<const Plan>(Plan{std::move(maps).value(), loss});
  return FomdOms(std::make_shared<const OmsSettings>(
      OmsSettings{plan, 2, ConstantSchedule{0.5, 0.3, 3}, WeightedEntropy({1.0, 1.0, 1.0}), 1, 0}));
}

/// Every number, to be compared bit for bit.
std::vector<double> numbers(const Telemetry& telemetry) {
  std::vector<double> all;
  telemetry.fields([&](const auto& field) {
    if constexpr (std::is_arithmetic_v<std::decay_t<decltype(field)>>) {
      all.push_back(static_cast<double>(field));
    } else if constexpr (requires { static_cast<double>(field.front()); }) {
      for (const auto value : field) all.push_back(static_cast<double>(value));
    }
  });
  return all;
}

using Outputs = std::map<std::pair<std::size_t, std::size_t>, double>;  // of client and round

struct Simulated {
  Telemetry telemetry;
  Outputs outputs;
};

template <class Play>
Simulated simulate(const ClassSource& source, const Loss& loss, std::size_t rounds,
                   std::size_t per_batch, std::size_t threads = 1) {
  Server<FomdOms> server(make_server(loss));
  Simulated simulated{Telemetry(loss, source.clients()), {}};
  SimulatedClients<FomdOms, ClassSource, Play> clients(
      server, source, {}, simulated.telemetry,
      [&](std::size_t client, std::size_t round, double output) {
        simulated.outputs[{client, round}] = output;
      },
      threads);
  play_all(server, clients, rounds, per_batch);
  return simulated;
}

/// What a server records, to whom each client sends the sums of a batch.
Telemetry served(const ClassSource& source, const Loss& loss, std::size_t rounds,
                 std::size_t per_batch, const Simulated& simulated) {
  Telemetry telemetry(loss, source.clients());
  for (std::size_t first = 0; first < rounds; first += per_batch) {
    for (std::size_t client = 0; client < source.clients(); ++client) {
      const std::size_t last = std::min(first + per_batch, source.rounds(client));
      if (first >= last) continue;
      PlayedSums sums;
      for (std::size_t round = first; round < last; ++round) {
        sums.add(loss, simulated.outputs.at({client, round}), source.example(client, round).y);
      }
      telemetry.record(client, sums);
      const auto index = static_cast<std::uint32_t>(client);
      telemetry.sent({&index, 1}, 0, 0);
    }
    telemetry.end_batch();
  }
  telemetry.sent({}, simulated.telemetry.upload_bits, simulated.telemetry.download_bits);
  return telemetry;
}

TEST(Telemetry, AServerWithSumsComesToTheBitsOfASimulation) {
  std::vector<std::size_t> lengths(70);
  for (std::size_t j = 0; j < lengths.size(); ++j) lengths[j] = 2 + (7 * j) % 29;
  const ClassSource source(lengths);
  for (const Loss& loss : all_losses()) {
    for (const std::size_t per_batch : {1U, 3U, 10U}) {
      const auto tiles = simulate<TiledClients<FomdOms>>(source, loss, 30, per_batch);
      const auto single = simulate<PlainClients<FomdOms>>(source, loss, 30, per_batch);
      const auto expected = numbers(served(source, loss, 30, per_batch, single));
      EXPECT_EQ(numbers(tiles.telemetry), expected) << loss.name() << " " << per_batch;
      EXPECT_EQ(numbers(single.telemetry), expected) << loss.name() << " " << per_batch;
      EXPECT_GT(single.telemetry.loss, 0.0);
    }
  }
}

TEST(Telemetry, BatchesThatDoNotFitIntoATileGiveTheSameBits) {
  const ClassSource source({1000, 3, 700, 0, 999});
  const auto simulated = simulate<TiledClients<FomdOms>>(source, Loss{}, 1000, 600);
  EXPECT_EQ(numbers(simulated.telemetry), numbers(served(source, Loss{}, 1000, 600, simulated)));
}

TEST(Telemetry, SeveralThreadsGiveTheSameBits) {
  std::vector<std::size_t> lengths(5000);
  for (std::size_t j = 0; j < lengths.size(); ++j) lengths[j] = 1 + j % 7;
  const ClassSource source(lengths);
  const Loss loss(LogisticLoss{});
  for (const std::size_t per_batch : {1U, 3U}) {
    const auto simulated = simulate<TiledClients<FomdOms>>(source, loss, 7, per_batch, 3);
    EXPECT_EQ(numbers(simulated.telemetry), numbers(served(source, loss, 7, per_batch, simulated)));
  }
}

TEST(Telemetry, BatchesOfOneRoundAreSummedRoundByRound) {
  const ClassSource source({9, 4, 0, 7, 9});
  const Loss loss(AbsoluteLoss{});
  const auto simulated = simulate<TiledClients<FomdOms>>(source, loss, 9, 1);
  double total = 0.0;
  double squared = 0.0;
  for (std::size_t round = 0; round < 9; ++round) {
    double of_round = 0.0;
    for (std::size_t client = 0; client < 5; ++client) {
      if (round >= source.rounds(client)) continue;
      const double y = source.example(client, round).y;
      const double output = simulated.outputs.at({client, round});
      of_round += std::abs(output - y);
      squared += (output - y) * (output - y);
    }
    total += of_round;
  }
  EXPECT_EQ(simulated.telemetry.loss, total);
  EXPECT_EQ(simulated.telemetry.squared_error, squared);
  EXPECT_EQ(simulated.telemetry.forecasts_of_client, (std::vector<std::size_t>{9, 4, 0, 7, 9}));
}

TEST(Telemetry, CountsClassesAndLogLoss) {
  Telemetry telemetry(Loss(LogisticLoss{}), 1);
  telemetry.record(std::vector<PlayedExample>{{0, 0, 2.0, 1.0}});
  telemetry.record(std::vector<PlayedExample>{{0, 1, -1.0, -1.0}});
  telemetry.record(std::vector<PlayedExample>{{0, 2, 0.5, -1.0}});
  telemetry.record(std::vector<PlayedExample>{{0, 3, 0.0, 1.0}});
  telemetry.end_batch();
  EXPECT_EQ(telemetry.correct, 2U);
  const double expected = std::log(1 + std::exp(-2.0)) + std::log(1 + std::exp(-1.0)) +
                          std::log(1 + std::exp(0.5)) + std::log(2.0);
  EXPECT_NEAR(telemetry.log_loss, expected, 1e-12);
}

}  // namespace
}  // namespace caucus
