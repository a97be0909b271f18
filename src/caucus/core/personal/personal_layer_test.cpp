#include "caucus/core/personal/personal_layer.hpp"
#include "caucus/core/base/test_numbers.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace caucus {
namespace {

constexpr std::size_t kInputs = 4;
constexpr int kFirstModels = 20;  ///< the round of the first federated forecast

struct Row {
  Floats x;
  std::optional<double> federated;
  double y = 0.0;
};

/// Rows with a federated forecast that is right up to noise. `change` turns its target into the
/// client's own: y = change(target, t).
template <class Change>
std::vector<Row> rows_of_a_client(int count, std::uint64_t seed, const Change& change) {
  Stream stream({.seed = seed});
  std::vector<Row> rows;
  for (int t = 0; t < count; ++t) {
    Row row{normals(kInputs, 0.5, stream), {}, 0.0};
    const auto x0 = static_cast<double>(row.x[0]);
    const auto x1 = static_cast<double>(row.x[1]);
    const double truth = 0.5 + 0.2 * std::tanh(3.0 * x0) + 0.1 * x1 * x1;
    if (t >= kFirstModels) row.federated = truth;
    row.y = change(truth, t) + 0.05 * stream.normal();
    rows.push_back(row);
  }
  return rows;
}

std::vector<Row> alike_rows(int count, std::uint64_t seed) {
  return rows_of_a_client(count, seed, [](double truth, int) { return truth; });
}

void play(PersonalLayer& layer, const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    layer.predict(row.x, row.federated);
    layer.observe(row.y);
  }
}

double weight_of(const PersonalLayer& layer, std::string_view name) {
  for (const auto& [candidate, weight] : layer.weights()) {
    if (candidate == name) return weight;
  }
  ADD_FAILURE() << "no candidate " << name;
  return 0.0;
}

std::string state_of(const PersonalLayer& layer) {
  StateWriter writer;
  layer.save(writer);
  return writer.take();
}

TEST(PersonalLayer, CostsLittleWhereClientsAreAlike) {
  double given = 0.0;
  double federated = 0.0;
  for (std::uint64_t client = 1; client <= 20; ++client) {
    const auto rows = alike_rows(500, client);
    PersonalLayer layer(kInputs);
    play(layer, {rows.begin(), rows.begin() + kFirstModels});
    const PersonalRecord before = layer.record();
    play(layer, {rows.begin() + kFirstModels, rows.end()});
    given += layer.record().given - before.given;
    federated += layer.record().federated - before.federated;
    EXPECT_GT(weight_of(layer, "federated"), 0.5) << client;
  }
  EXPECT_LT(given, 1.01 * federated);
}

TEST(PersonalLayer, LearnsTheOffsetOfAClient) {
  const auto rows = rows_of_a_client(700, 1, [](double truth, int) { return truth + 0.4; });
  PersonalLayer layer(kInputs);
  play(layer, {rows.begin(), rows.begin() + 500});
  const PersonalRecord before = layer.record();
  play(layer, {rows.begin() + 500, rows.end()});
  const double given = (layer.record().given - before.given) / 200.0;
  EXPECT_LT(given, 1.15 * 0.05 * 0.05);
  EXPECT_LT(weight_of(layer, "federated"), 0.01);
}

TEST(PersonalLayer, FollowsATargetThatMovesAsARandomWalk) {
  Stream stream({.seed = 5});
  double level = 0.0;
  const auto rows = rows_of_a_client(1000, 1, [&](double truth, int) {
    level += 0.3 * stream.normal();
    return truth + level;
  });
  PersonalLayer layer(kInputs);
  play(layer, rows);
  const PersonalRecord& record = layer.record();
  EXPECT_LT(record.given, record.persistence);
  EXPECT_LT(record.given, 0.2 * std::min(record.alone, record.federated));
}

TEST(PersonalLayer, WithoutFederatedForecastsItIsAboutAsGoodAsTheClientAlone) {
  auto rows = alike_rows(400, 3);
  for (Row& row : rows) row.federated.reset();
  PersonalLayer layer(kInputs);
  play(layer, rows);
  EXPECT_LT(layer.record().given, 1.02 * layer.record().alone);
  EXPECT_EQ(weight_of(layer, "federated"), 0.0);
  EXPECT_EQ(weight_of(layer, "corrected"), 0.0);
}

TEST(PersonalLayer, TheFirstForecastIsTheFederatedOne) {
  PersonalLayer layer(1);
  EXPECT_EQ(layer.predict(Floats{0.5F}, 0.7), 0.7);
}

// Whatever the relation of the client to the others is. The constant pays for the first rounds.
TEST(PersonalLayer, AClientWithFewRowsTrustsTheFederatedForecasts) {
  double given = 0.0;
  double federated = 0.0;
  for (std::uint64_t client = 1; client <= 20; ++client) {
    auto rows = alike_rows(60, client);
    rows.erase(rows.begin(), rows.begin() + kFirstModels - 2);  // two rows before the first models
    PersonalLayer layer(kInputs);
    play(layer, {rows.begin(), rows.begin() + 2});
    EXPECT_DOUBLE_EQ(layer.predict(rows[2].x, rows[2].federated), *rows[2].federated);
    layer.observe(rows[2].y);
    layer.take_record();
    play(layer, {rows.begin() + 3, rows.end()});
    given += layer.record().given;
    federated += layer.record().federated;
  }
  EXPECT_LT(given, 1.04 * federated);
}

RC_GTEST_PROP(PersonalLayer, ForecastsStayNearTheTargetsAndTheFederatedForecasts, ()) {
  Stream stream({.seed = *rc::gen::inRange<std::uint64_t>(0, 1000)});
  const double target = *rc::gen::element(0.01, 1.0, 50.0);
  PersonalLayer layer(kInputs);
  const int models_after = *rc::gen::inRange(0, 30);
  for (int t = 0; t < 60; ++t) {
    const auto x = normals(kInputs, *rc::gen::element(0.1, 1.0, 100.0), stream);
    std::optional<double> federated;
    if (t >= models_after) federated = 2.0 * target * (2.0 * stream.uniform() - 1.0);
    const double bound = PersonalLayer::largest_forecast(target, federated ? 2.0 * target : 0.0);
    RC_ASSERT(std::abs(layer.predict(x, federated)) <= bound);
    layer.observe(stream.uniform() < 0.5 ? -target : target);
  }
}

RC_GTEST_PROP(PersonalLayer, IsNeverMuchWorseThanTheBestOfFederatedAloneAndPersistence, ()) {
  const double offset = *rc::gen::element(0.0, 0.05, 0.3, 2.0);
  const double slope = *rc::gen::element(1.0, 0.0, -1.0, 3.0);
  const double walk = *rc::gen::element(0.0, 0.1);
  const double wave = *rc::gen::element(0.0, 0.2);
  Stream stream({.seed = *rc::gen::arbitrary<std::uint64_t>()});
  double level = 0.0;
  const auto rows = rows_of_a_client(1000, stream.bits(), [&](double truth, int t) {
    level += walk * stream.normal();
    return offset + slope * truth + level + wave * std::sin(0.1 * t);
  });
  PersonalLayer layer(kInputs);
  play(layer, rows);
  const PersonalRecord& record = layer.record();
  const double best = std::min({record.federated, record.alone, record.persistence});
  RC_ASSERT(record.given <= 1.1 * best + 1.0 + offset * offset);
}

TEST(PersonalLayer, TargetsMayComeLate) {
  PersonalLayer layer(kInputs);
  std::deque<std::pair<PersonalForecast, double>> waiting;
  for (const Row& row : rows_of_a_client(600, 1, [](double truth, int) { return truth + 0.4; })) {
    const double given = layer.predict(row.x, row.federated);
    EXPECT_EQ(layer.last_forecast().given, given);
    waiting.emplace_back(layer.last_forecast(), row.y);
    if (waiting.size() <= 7) continue;
    layer.observe(waiting.front().first, waiting.front().second);
    waiting.pop_front();
  }
  const PersonalRecord& record = layer.record();
  EXPECT_EQ(record.examples, 593U);
  EXPECT_LT(record.given, 0.1 * record.federated);
}

TEST(PersonalLayer, ObservingTheLastForecastOrACopyOfItIsTheSame) {
  PersonalLayer in_time(kInputs);
  PersonalLayer by_copy(kInputs);
  for (const Row& row : alike_rows(100, 4)) {
    in_time.predict(row.x, row.federated);
    in_time.observe(row.y);
    by_copy.predict(row.x, row.federated);
    const PersonalForecast copy = by_copy.last_forecast();
    by_copy.observe(copy, row.y);
    ASSERT_EQ(in_time.record().given, by_copy.record().given);
  }
}

TEST(PersonalLayer, FederatedForecastsMayStayAwayForAWhile) {
  auto rows = rows_of_a_client(600, 5, [](double truth, int) { return truth + 0.4; });
  for (std::size_t t = 300; t < 400; ++t) rows[t].federated.reset();
  PersonalLayer layer(kInputs);
  play(layer, {rows.begin(), rows.begin() + 300});
  const PersonalRecord before = layer.record();
  play(layer, {rows.begin() + 300, rows.end()});
  EXPECT_LT(layer.record().given - before.given, 1.2 * (layer.record().alone - before.alone));
  EXPECT_LT(layer.record().given - before.given, 300 * 2.0 * 0.05 * 0.05);
}

TEST(PersonalLayer, PassesTheForecastsForClassesThrough) {
  for (const Loss& loss : {Loss(LogisticLoss{}), Loss(HingeLoss{}), Loss(LinearLoss{})}) {
    PersonalLayer layer(kInputs, loss);
    double federated = 0.0;
    for (const Row& row : alike_rows(50, 6)) {
      const double forecast = row.federated.value_or(0.0) - 0.6;
      const double y = row.y > 0.6 ? 1.0 : -1.0;
      EXPECT_EQ(layer.predict(row.x, forecast), forecast);
      layer.observe(y);
      federated += loss.value(forecast, y);
    }
    EXPECT_EQ(layer.record().given, federated);
    EXPECT_EQ(weight_of(layer, "federated"), 1.0);
  }
}

TEST(PersonalLayer, PredictsTwoClassesFromOwnRowsUntilThereAreModels) {
  for (const Loss& loss : {Loss(LogisticLoss{}), Loss(HingeLoss{})}) {
    PersonalLayer layer(kInputs, loss);
    double alone = 0.0;
    int right = 0;
    for (const Row& row : alike_rows(200, 6)) {
      const double y = row.y > 0.6 ? 1.0 : -1.0;
      const double score = layer.predict(row.x, std::nullopt);
      right += (score > 0.0) == (y > 0.0) ? 1 : 0;
      alone += loss.value(score, y);
      layer.observe(y);
    }
    EXPECT_GT(right, 150) << loss.name();
    EXPECT_EQ(layer.record().given, alone);
    EXPECT_LT(alone, 0.7 * 200 * loss.value(0.0, 1.0)) << loss.name();
    EXPECT_EQ(layer.predict(Floats(kInputs, 0.5F), 0.25), 0.25);
    layer.observe(1.0);
    EXPECT_EQ(layer.predict(Floats(kInputs, 0.5F), std::nullopt), 0.0);
  }
}

TEST(PersonalLayer, ServesOtherLossesOfRealTargets) {
  for (const Loss& loss : {Loss(AbsoluteLoss{}), Loss(HuberLoss{0.1}), Loss(PinballLoss{0.5})}) {
    PersonalLayer layer(kInputs, loss);
    play(layer, rows_of_a_client(600, 7, [](double truth, int) { return truth + 0.4; }));
    EXPECT_LT(layer.record().given, 0.4 * layer.record().federated) << loss.name();
  }
}

TEST(PersonalLayer, StrangeNumbersLeaveItFinite) {
  PersonalLayer layer(2);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Doubles numbers = {0.0, 1.0, -1e30, 1e59, nan, kInfinity, 1e-300, 3.0, -kInfinity, 0.5};
  Stream stream({.seed = 8});
  const auto any = [&] { return numbers[stream.bits() % numbers.size()]; };
  for (int t = 0; t < 20000; ++t) {
    const auto x = static_cast<float>(std::clamp(any(), -1e30, 1e30));
    const double given = layer.predict(Floats{x, 1.0F}, any());
    ASSERT_TRUE(std::isfinite(given)) << t;
    layer.observe(any());
  }
  double sum = 0.0;
  for (const auto& [name, weight] : layer.weights()) sum += weight;
  EXPECT_NEAR(sum, 1.0, 1e-9);
}

TEST(PersonalLayer, LearnsAnewWhenTheFederatedForecastsBecomeWorse) {
  constexpr int kChange = 400;
  const auto rows = rows_of_a_client(
      600, 5, [](double truth, int t) { return t < kChange ? truth : 2.0 - truth; });
  PersonalLayer layer(kInputs);
  int noticed = -1;
  double squares = 0.0;
  for (int t = 0; t < 600; ++t) {
    const Row& row = rows[static_cast<std::size_t>(t)];
    const double given = layer.predict(row.x, row.federated);
    layer.observe(row.y);
    if (t >= kChange + 100) squares += (given - row.y) * (given - row.y);
    if (t % 50 == 49 && noticed < 0) {
      EXPECT_EQ(layer.end_batch(), false) << t;
    }
    if (layer.has_change() && noticed < 0) noticed = t;
  }
  EXPECT_GE(noticed, kChange);
  EXPECT_LE(noticed, kChange + 10);
  EXPECT_LT(squares / 100.0, 0.02);  // the federated forecasts are wrong by about 1
  EXPECT_TRUE(layer.end_batch());
  EXPECT_FALSE(layer.end_batch());
  EXPECT_FALSE(layer.has_change());
}

TEST(PersonalLayer, KeepsItsOwnRegressionWhereOnlyTheFederatedForecastsBecomeWorse) {
  constexpr std::size_t kChange = 400;
  const auto rows = alike_rows(600, 6);
  auto worse = rows;
  for (std::size_t t = kChange; t < worse.size(); ++t) *worse[t].federated += 1.0;
  PersonalLayer layer(kInputs);
  PersonalLayer undisturbed(kInputs);
  play(layer, worse);
  play(undisturbed, rows);
  EXPECT_TRUE(layer.has_change());
  EXPECT_FALSE(undisturbed.has_change());
  EXPECT_EQ(layer.record().alone, undisturbed.record().alone);
}

RC_GTEST_PROP(PersonalLayer, ContinuesBitForBitAfterRestoring, ()) {
  const auto rows = alike_rows(80, *rc::gen::arbitrary<std::uint64_t>());
  const auto cut = *rc::gen::inRange<std::size_t>(0, rows.size());
  const bool awaits_target = *rc::gen::arbitrary<bool>();
  PersonalLayer layer(kInputs);
  play(layer, {rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(cut)});
  if (awaits_target) layer.predict(rows[cut].x, rows[cut].federated);
  const std::string state = state_of(layer);
  PersonalLayer restored(kInputs);
  StateReader reader(state);
  RC_ASSERT(restored.restore(reader).ok());
  RC_ASSERT(reader.done().ok());
  RC_ASSERT(state_of(restored) == state);
  for (PersonalLayer* each : {&layer, &restored}) {
    if (awaits_target) each->observe(rows[cut].y);
    play(*each, {rows.begin() + static_cast<std::ptrdiff_t>(cut), rows.end()});
  }
  RC_ASSERT(state_of(layer) == state_of(restored));
}

RC_GTEST_PROP(PersonalLayer, SurvivesDamagedStates, ()) {
  PersonalLayer layer(2);
  Stream stream({.seed = *rc::gen::arbitrary<std::uint64_t>()});
  for (int t = 0; t < 40; ++t) {
    layer.predict(normals(2, stream), t > 9 ? std::optional(stream.normal()) : std::nullopt);
    layer.observe(stream.normal());
  }
  std::string state = state_of(layer);
  if (*rc::gen::arbitrary<bool>()) {
    state.resize(stream.bits() % state.size());
    PersonalLayer restored(2);
    StateReader reader(state);
    RC_ASSERT(!restored.restore(reader).ok());
    return;
  }
  for (int changes = 0; changes < 8; ++changes) {
    state[stream.bits() % state.size()] = static_cast<char>(stream.bits());
  }
  PersonalLayer restored(2);
  StateReader reader(state);
  if (!restored.restore(reader).ok()) return;
  for (int t = 0; t < 10; ++t) {
    const double given = restored.predict(normals(2, stream), stream.normal());
    RC_ASSERT(!std::isnan(given));
    restored.observe(stream.normal());
  }
}

TEST(PersonalLayer, RefusesTheStateOfAnotherDimension) {
  PersonalLayer three(3);
  const std::string state = state_of(PersonalLayer(2));
  StateReader reader(state);
  EXPECT_FALSE(three.restore(reader).ok());
}

}  // namespace
}  // namespace caucus
