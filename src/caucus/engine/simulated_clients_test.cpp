#include "caucus/engine/simulated_clients.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <new>
#include <type_traits>

#include "caucus/algorithms/first_order_oms.hpp"
#include "caucus/algorithms/fomd_oms.hpp"
#include "caucus/algorithms/nco_oms.hpp"
#include "caucus/engine/test_source.hpp"

namespace caucus {
namespace {

std::shared_ptr<const OmsSettings> settings() {
  auto maps = FeatureMaps::make({Space{.radius = 1.0}, Space{.radius = 2.0}, Space{.radius = 3.0}},
                                {4, 0}, 1, 0);
  auto plan = std::make_shared<const Plan>(Plan{std::move(maps).value(), Loss{}});
  return std::make_shared<const OmsSettings>(
      OmsSettings{plan, 2, ConstantSchedule{0.5, 0.1, 3}, WeightedEntropy({1.0, 1.0, 1.0}), 1, 0});
}

template <class A>
void play(A algorithm, const TestSource& source, std::size_t rounds, std::size_t per_batch,
          Telemetry& telemetry, double dropout = 0.0, const ForecastObserver& observer = {}) {
  Server<A> server(std::move(algorithm));
  SimulatedClients<A, TestSource> clients(server, source, {dropout, 1, 0}, telemetry, observer);
  play_all(server, clients, rounds, per_batch);
}

TEST(SimulatedClients, EveryExampleIsForecastOnceAndCounted) {
  const TestSource source({7, 3, 5});
  FomdOms server(settings());
  Telemetry telemetry(Loss{}, 3);
  std::vector<std::pair<std::size_t, std::size_t>> seen;
  double squared = 0.0;
  play(server, source, 7, 2, telemetry, 0.0,
       [&](std::size_t client, std::size_t round, double output) {
         seen.emplace_back(client, round);
         squared += std::pow(output - source.example(client, round).y, 2);
       });
  EXPECT_EQ(telemetry.forecasts, 15U);
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(std::unique(seen.begin(), seen.end()), seen.end());
  EXPECT_EQ(seen.size(), 15U);
  double by_client = 0.0;
  for (const double loss : telemetry.loss_of_client) by_client += loss;
  EXPECT_NEAR(telemetry.loss, squared, 1e-12);
  EXPECT_EQ(telemetry.forecasts_of_client, (std::vector<std::size_t>{7, 3, 5}));
  EXPECT_NEAR(by_client, squared, 1e-12);
  EXPECT_NEAR(telemetry.squared_error, squared, 1e-12);
}

/// Spaces of every kind that an example can be turned into features for.
std::shared_ptr<const Plan> mixed_plan(std::size_t sample_size) {
  const auto kernel = [](double width, std::uint32_t features) {
    return Space{.kind = SpaceKind::gaussian, .width = width, .features = features};
  };
  std::vector<Space> spaces = {Space{.radius = 0.5},
                               Space{.radius = 2.0},
                               Space{.radius = 1.0, .intercept = true},
                               kernel(0.5, 20),
                               kernel(1.0, 20),
                               kernel(1.0, 20),
                               kernel(2.0, 7),
                               kernel(1.0 + 1e-12, 20),  // another map, the same as a float
                               Space{.kind = SpaceKind::laplacian, .features = 40},
                               Space{.kind = SpaceKind::cauchy, .features = 33},
                               Space{.kind = SpaceKind::expert}};
  spaces.back().function = [](std::span<const float> x) { return x[1]; };
  spaces[5].radius = 0.1;
  spaces[6].independent_base = true;
  for (const double width : {2.0, 1.0, 0.5}) {
    spaces.push_back(kernel(width, 20));
    spaces.back().intercept = true;
  }
  auto maps = FeatureMaps::make(spaces, {4, 0}, 1, 0, sample_size);
  return std::make_shared<const Plan>(Plan{std::move(maps).value(), Loss{}});
}

template <class A>
struct Made {
  static A make(std::size_t sample_size, std::size_t clients);
};
template <>
FomdOms Made<FomdOms>::make(std::size_t sample_size, std::size_t) {
  const std::size_t K = mixed_plan(sample_size)->maps.size();
  return FomdOms(std::make_shared<const OmsSettings>(
      OmsSettings{mixed_plan(sample_size), sample_size, ConstantSchedule{0.5, 0.3, K},
                  WeightedEntropy(std::vector<double>(K, 2.0)), 1, 0}));
}
template <>
FirstOrderOms Made<FirstOrderOms>::make(std::size_t sample_size, std::size_t) {
  return FirstOrderOms(std::make_shared<const FirstOrderSettings>(
      FirstOrderSettings{mixed_plan(sample_size), sample_size, 0.0, 1, 0}));
}
template <>
NcoOms Made<NcoOms>::make(std::size_t sample_size, std::size_t clients) {
  const std::size_t K = mixed_plan(sample_size)->maps.size();
  return NcoOms(std::make_shared<const OmsSettings>(
                    OmsSettings{mixed_plan(sample_size), sample_size, ConstantSchedule{0.5, 0.3, K},
                                WeightedEntropy(std::vector<double>(K, 2.0)), 1, 0}),
                clients);
}

template <class A>
class Tiles : public testing::Test {};
using TiledAlgorithms = testing::Types<FomdOms, FirstOrderOms, NcoOms>;
TYPED_TEST_SUITE(Tiles, TiledAlgorithms);

// The steps, one example at a time, define what is computed; many at once must give the same bits.
TYPED_TEST(Tiles, GiveTheBitsOfOneExampleAtATime) {
  using A = TypeParam;
  static_assert(HasOmsClients<A>);
  std::vector<std::size_t> lengths(70);
  for (std::size_t j = 0; j < lengths.size(); ++j) lengths[j] = 3 + j % 11;
  const TestSource source(lengths);
  for (const std::size_t sample_size : {2U, 5U, 10U}) {
    for (const std::size_t per_batch : {1U, 4U, 13U}) {
      const auto forecasts_of = [&]<class Play>(std::type_identity<Play>) {
        Server<A> server(Made<A>::make(sample_size, lengths.size()));
        Telemetry telemetry(Loss{}, lengths.size());
        std::vector<double> forecasts;
        const auto note = [&](std::size_t, std::size_t, double output) {
          forecasts.push_back(output);
        };
        SimulatedClients<A, TestSource, Play> clients(server, source, {0.2, 1, 0}, telemetry, note);
        play_all(server, clients, 13, per_batch);
        forecasts.push_back(static_cast<double>(telemetry.upload_bits));
        forecasts.push_back(static_cast<double>(telemetry.download_bits));
        return forecasts;
      };
      EXPECT_EQ(forecasts_of(std::type_identity<TiledClients<A>>{}),
                forecasts_of(std::type_identity<PlainClients<A>>{}))
          << sample_size << " " << per_batch;
    }
  }
}

TYPED_TEST(Tiles, SeveralThreadsGiveTheBitsOfOne) {
  using A = TypeParam;
  std::vector<std::size_t> lengths(5000);
  for (std::size_t j = 0; j < lengths.size(); ++j) lengths[j] = 1 + j % 5;
  const TestSource source(lengths);
  for (const std::size_t per_batch : {1U, 3U}) {
    const auto forecasts_of = [&](std::size_t threads) {
      Server<A> server(Made<A>::make(2, lengths.size()));
      Telemetry telemetry(Loss{}, lengths.size());
      std::vector<double> forecasts;
      const auto note = [&](std::size_t, std::size_t, double output) {
        forecasts.push_back(output);
      };
      SimulatedClients<A, TestSource> clients(server, source, {0.2, 1, 0}, telemetry, note,
                                              threads);
      play_all(server, clients, 5, per_batch);
      forecasts.push_back(telemetry.squared_error);
      forecasts.push_back(static_cast<double>(telemetry.upload_bits));
      return forecasts;
    };
    const auto alone = forecasts_of(1);
    for (const std::size_t threads : {2U, 3U}) EXPECT_EQ(forecasts_of(threads), alone) << per_batch;
  }
}

/// A source that fails somewhere, as memory may.
class FailingSource : public TestSource {
 public:
  using TestSource::TestSource;
  [[nodiscard]] Example example(std::size_t client, std::size_t round) const {
    if (client == 2000) throw std::bad_alloc();
    return TestSource::example(client, round);
  }
};

TEST(SimulatedClients, WhatAThreadThrowsEndsTheRound) {
  const FailingSource source(std::vector<std::size_t>(5000, 1));
  Server<FomdOms> server{FomdOms(settings())};
  Telemetry telemetry(Loss{}, 5000);
  SimulatedClients<FomdOms, FailingSource> clients(server, source, {}, telemetry, {}, 3);
  EXPECT_THROW(play_all(server, clients, 1, 1), std::bad_alloc);
}

TEST(SimulatedClients, BitsAreCountedPerUpload) {
  const TestSource source({8, 8});
  FomdOms server(settings());
  Telemetry telemetry(Loss{}, 2);
  play(server, source, 8, 4, telemetry);
  const std::size_t per_upload = 2 * (32 * 5 + 2);  // J = 2, d = 4 and a loss, 2 bits name one of 3
  EXPECT_EQ(telemetry.upload_bits, 2 * 2 * per_upload);
  EXPECT_EQ(telemetry.download_bits, 2 * 2 * (per_upload - 64));
}

TEST(SimulatedClients, LosesTheGivenShareOfReports) {
  const Dropout dropout{0.3, 5, 0};
  int lost = 0;
  for (std::uint32_t batch = 0; batch < 200; ++batch) {
    for (std::uint32_t client = 0; client < 100; ++client) lost += dropout.loses(batch, client);
  }
  EXPECT_NEAR(lost / 20000.0, 0.3, 0.015);
}

TEST(SimulatedClients, LostReportsDoNotTouchClientsThatWorkAlone) {
  const TestSource source({20, 20});
  NcoOms with(settings(), 2);
  NcoOms without(settings(), 2);
  Telemetry a(Loss{}, 2);
  Telemetry b(Loss{}, 2);
  play(with, source, 20, 1, a, 0.5);
  play(without, source, 20, 1, b, 0.0);
  EXPECT_EQ(a.squared_error, b.squared_error);
  FomdOms lossy(settings());
  FomdOms lossless(settings());
  Telemetry c(Loss{}, 2);
  Telemetry d(Loss{}, 2);
  play(lossy, source, 20, 1, c, 0.5);
  play(lossless, source, 20, 1, d, 0.0);
  EXPECT_NE(c.squared_error, d.squared_error);
}

}  // namespace
}  // namespace caucus
