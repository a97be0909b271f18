#include "serving/server_status.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <sstream>

namespace caucus::cli {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

HostStatus two_clients() {
  HostStatus status;
  status.phase = Federation::Phase::running;
  status.batch = 10;
  status.durable = 8;
  status.spaces = {"linear U=1", "gaussian \"w\"\\2"};
  status.probabilities = {0.25, 0.75};
  status.forecasts = 20;
  status.loss = 5.0;
  status.squared_error = 4.0;
  status.upload_bits = 1600;
  status.download_bits = 3200;
  status.now = Time{} + milliseconds(10'000);
  status.members.resize(2);
  Member& first = status.members[0];
  first.name = "c01";
  first.joined = first.connected = true;
  first.examples = 100;
  first.counted = 15;
  first.last_batch = 9;
  first.last_seen = Time{} + milliseconds(7'500);
  first.counters = {9, 1, 2, 3, 4, 5, 600, 700};
  Member& second = status.members[1];
  second.name = "c02";
  second.joined = true;
  second.counted = 5;
  second.last_batch = 5;
  second.counters.bytes_up = 400;
  return status;
}

TEST(StatusJson, TellsMeansBytesBesideTheFormulaAndClients) {
  const Json json = status_json(two_clients());
  EXPECT_EQ(json["phase"], "running");
  EXPECT_EQ(json["batch"], 10);
  EXPECT_EQ(json["durable_batch"], 8);
  EXPECT_EQ(json["loss"], 0.25);
  EXPECT_EQ(json["mse"], 0.2);
  EXPECT_EQ(json["probabilities"], Json({0.25, 0.75}));
  EXPECT_EQ(json["bytes_up"]["total"], 1000);
  EXPECT_EQ(json["bytes_up"]["per_client_round"], 50.0);
  EXPECT_EQ(json["bytes_up"]["per_client_round_by_formula"], 10.0);
  EXPECT_EQ(json["bytes_down"]["per_client_round_by_formula"], 20.0);
  const Json& first = json["clients"][0];
  EXPECT_EQ(first["state"], "connected");
  EXPECT_EQ(first["last_seen_seconds"], 2.5);
  EXPECT_EQ(first["acknowledged"], false);
  EXPECT_EQ(first["lag"], 0);
  EXPECT_EQ(first["rejected"], 4);
  const Json& second = json["clients"][1];
  EXPECT_EQ(second["state"], "away");
  EXPECT_EQ(second["lag"], 4);
  EXPECT_TRUE(second["last_seen_seconds"].is_null());
}

TEST(StatusJson, BeforeTheFirstBatchNothingIsDividedByNothing) {
  HostStatus status;
  status.members.resize(1);
  const Json json = status_json(status);
  EXPECT_EQ(json["phase"], "waiting");
  EXPECT_TRUE(json["loss"].is_null());
  EXPECT_TRUE(json["bytes_up"]["per_client_round"].is_null());
  EXPECT_EQ(json["clients"][0]["state"], "expected");
  EXPECT_EQ(json["clients"][0]["lag"], 0);
}

TEST(StatusTable, ShowsWhatTheJsonSays) {
  const auto table = status_table(status_json(two_clients()), "server");
  ASSERT_TRUE(table.ok()) << table.error().line();
  EXPECT_THAT(*table,
              HasSubstr("batch 10, running; durable up to 8; 20 forecasts, mean loss 0.25"));
  EXPECT_THAT(*table, testing::ContainsRegex("up +1,000 +50 +10\n"));
  EXPECT_THAT(*table, testing::ContainsRegex("c01 +connected +2.5 s ago +15 +100 +0 +0 +9 +1"));
  EXPECT_THAT(*table, testing::ContainsRegex("c02 +away +- +5 +0 +0 +4"));
  EXPECT_THAT(*table, HasSubstr("█"));
}

TEST(StatusTable, SurvivesAnotherVersionsJson) {
  EXPECT_TRUE(status_table(Json::object(), "server").ok());
  EXPECT_FALSE(status_table(Json::array(), "server").ok());
  EXPECT_FALSE(status_table(Json{{"clients", 3}}, "server").ok());
  Json json = status_json(two_clients());
  json["clients"][0]["name"] = "c\x1b[2J";
  json["probabilities"] = {0.5};
  EXPECT_FALSE(status_table(json, "server").ok());
  json["probabilities"] = {-1, 7};
  const auto table = status_table(json, "server");
  ASSERT_TRUE(table.ok());
  EXPECT_EQ(table->find('\x1b'), std::string::npos);
}

TEST(Metrics, EveryLineIsASampleUnderItsHelpAndType) {
  const std::regex comment("# (HELP|TYPE) (caucus_[a-z_]+) .+");
  const std::string label = R"re([a-z]+="([^"\\]|\\.)*")re";
  const std::regex sample("(caucus_[a-z_]+)(\\{" + label + "(," + label +
                          ")*\\})? [-+0-9.eInfNa]+");
  std::istringstream lines(metrics_text(two_clients()));
  std::set<std::string> names;
  std::string current;
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (std::regex_match(line, match, comment)) {
      if (match[1] == "HELP") {
        EXPECT_TRUE(names.insert(match[2]).second) << line;
      }
      current = match[2];
    } else {
      ASSERT_TRUE(std::regex_match(line, match, sample)) << line;
      EXPECT_EQ(match[1], current);
    }
  }
  EXPECT_EQ(names.size(), 22U);
}

/// A width of 1 with 10 and with 20 features, a radius with and without intercept.
HostStatus namesakes() {
  HostStatus status = two_clients();
  const Space kernel{.kind = SpaceKind::gaussian, .width = 1.0, .features = 10};
  Space larger = kernel;
  larger.features = 20;
  const Space linear{.radius = 1.0};
  const Space intercept{.radius = 1.0, .intercept = true};
  status.spaces = {kernel.name(), larger.name(), linear.name(), intercept.name()};
  status.probabilities = {0.1, 0.2, 0.3, 0.4};
  return status;
}

TEST(Metrics, NoSeriesIsThereTwice) {
  const HostStatus status = namesakes();
  ASSERT_EQ(status.spaces[0], status.spaces[1]);
  ASSERT_EQ(status.spaces[2], status.spaces[3]);
  std::istringstream lines(metrics_text(status));
  std::set<std::string> series;
  for (std::string line; std::getline(lines, line);) {
    if (line[0] == '#') continue;
    EXPECT_TRUE(series.insert(line.substr(0, line.rfind(' '))).second) << line;
  }
  EXPECT_TRUE(series.contains(R"(caucus_probability{space="linear U=1",number="4"})"));
}

TEST(StatusTable, NumbersTheSpaces) {
  HostStatus status = namesakes();
  const auto few = status_table(status_json(status), "server");
  ASSERT_TRUE(few.ok());
  EXPECT_THAT(*few, testing::ContainsRegex("\n1  gaussian width=1 +0.1 "));
  EXPECT_THAT(*few, testing::ContainsRegex("\n4  linear U=1 +0.4 "));
  status.spaces.resize(13, "linear U=1");
  status.probabilities.resize(13, 0.0);
  const auto likeliest = status_table(status_json(status), "server");
  ASSERT_TRUE(likeliest.ok());
  EXPECT_THAT(*likeliest, testing::ContainsRegex("spaces.*\n 4  linear U=1 +0.4 .*\n 3  linear"));
  EXPECT_THAT(*likeliest, testing::ContainsRegex("\n12  linear U=1 +0\n"));
}

TEST(Metrics, HaveTheNumbersAndEscapedLabels) {
  const std::string text = metrics_text(two_clients());
  EXPECT_THAT(text, HasSubstr("\ncaucus_batch 10\n"));
  EXPECT_THAT(text, HasSubstr("\ncaucus_phase{phase=\"running\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("\ncaucus_phase{phase=\"finished\"} 0\n"));
  EXPECT_THAT(text, HasSubstr(R"(caucus_probability{space="gaussian \"w\"\\2",number="2"} 0.75)"));
  EXPECT_THAT(text, HasSubstr("\ncaucus_rejected_reports_total{client=\"c01\"} 4\n"));
  EXPECT_THAT(text, HasSubstr("\ncaucus_client_lag_batches{client=\"c02\"} 4\n"));
  EXPECT_THAT(text, HasSubstr("\ncaucus_formula_upload_bytes_total 200\n"));
}

}  // namespace
}  // namespace caucus::cli
