#include "serving/served_configuration.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "caucus/data/ranges.hpp"
#include "caucus/federation/federation.hpp"
#include "caucus/federation/hosting/test_host.hpp"
#include "caucus/federation/store/store.hpp"
#include "caucus/report/finished_run.hpp"
#include "caucus/simulation/experiment.hpp"
#include "options/config_file.hpp"

namespace caucus::cli {
namespace {

using testing::HasSubstr;

const char* const kServer = "[server]\nclients = [\"c01\", \"c02\", \"c03\"]\n";

/// Files of three clients with unequal amounts of data, and their ranges.
class ServedConfigurationTest : public testing::Test {
 protected:
  void SetUp() override {
    directory_ = std::filesystem::path(testing::TempDir()) /
                 ("served-" + std::to_string(::getpid()) + "-" +
                  testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::remove_all(directory_);
    std::filesystem::create_directories(directory_ / "clients");
    std::ofstream all(path("all.csv"));
    all << "a,b,y\n";
    for (int j = 0; j < 3; ++j) {
      std::ofstream file(client_file(j));
      file << "a,b,y\n";
      for (int t = 0; t < 30 + 7 * j; ++t) {
        const double a = 0.37 * ((5 * t + j) % 17);
        const double b = 3.0 - 0.11 * ((3 * t + 2 * j) % 23);
        const std::string row = std::to_string(a) + "," + std::to_string(b) + "," +
                                std::to_string(0.5 * a - b * b) + "\n";
        file << row;
        all << row;
      }
    }
    all.close();
    write_ranges(*load_ranges(path("all.csv")), path("ranges.csv")).value();
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  [[nodiscard]] std::string path(const std::string& name) const {
    return (directory_ / name).string();
  }
  [[nodiscard]] std::string client_file(int j) const {
    return path("clients/c0" + std::to_string(j + 1) + ".csv");
  }
  [[nodiscard]] std::string scaled() const {
    return "[data]\nclients_from = \"" + path("clients") + "\"\nfeature_range = [-1, 1]\n" +
           "label_range = [0, 1]\nscale_from = \"" + path("ranges.csv") + "\"\n";
  }
  static Result<ServedConfiguration> read(const std::string& text) {
    ServerConfig server;
    CAUCUS_TRY(const RunConfig config, parse_config(text, "f.toml", &server));
    return make_served_configuration(config, server);
  }
  static std::string fault(const std::string& text) {
    const auto run = read(text);
    return run.ok() ? "" : run.error().line();
  }

  /// Reads its file as the plan says and takes part to the end.
  void take_part_with_file(Host& host, int j) const {
    const auto session = std::make_shared<QueueSession>();
    HelloRecord hello;
    hello.client = "c0" + std::to_string(j + 1);
    host.join(hello, session);
    const Received first = session->receive();
    ASSERT_TRUE(std::holds_alternative<WelcomeRecord>(first));
    const auto& welcome = std::get<WelcomeRecord>(first);
    SharedPlan plan = welcome.plan;
    const auto data = read_dataset({client_file(j)}, *plan.columns);
    ASSERT_TRUE(data.ok()) << data.error().line();
    plan.features = data->features();
    const auto participant = Participant::make(plan, welcome.client).value();
    host.ready(session, {data->rows(), data->features(), 0});
    for (std::size_t row = 0;;) {
      const Received received = session->receive();
      if (std::holds_alternative<Ended>(received)) return host.goodbye(session);
      ASSERT_TRUE(std::holds_alternative<AssignmentRecord>(received));
      ASSERT_TRUE(participant->assign(std::get<AssignmentRecord>(received)).ok());
      const auto wanted = std::get<AssignmentRecord>(received).examples;
      const std::size_t end = client_rule(plan, plan.features)
                                  .end_of(row, row + (wanted > 0 ? wanted : 1), data->rows());
      for (; row < end; ++row) {
        const auto prediction = participant->predict(data->x(row));
        participant->observe(prediction->id, static_cast<double>(data->y(row)));
      }
      host.report(session, *participant->take_report(row == data->rows()));
    }
  }

  /// Serves to the end; the store stays.
  [[nodiscard]] std::unique_ptr<Host> serve(const ServedConfiguration& run) const {
    auto store = Store::open(path("run.db"), {});
    EXPECT_TRUE(store.ok()) << store.error().line();
    auto host = Host::make(run.federation, plan_text(run), std::move(*store), {10, {}});
    EXPECT_TRUE(host.ok()) << host.error().line();
    std::vector<std::thread> clients;
    for (int j = 0; j < 3; ++j) {
      clients.emplace_back([&, j] { take_part_with_file(**host, j); });
    }
    EXPECT_TRUE((*host)->wait().ok());
    EXPECT_TRUE((*host)->linger(std::chrono::seconds(60)).ok());
    for (std::thread& client : clients) client.join();
    return std::move(*host);
  }

  [[nodiscard]] Json simulate(const std::string& text) const {
    const RunConfig config = parse_config(text, "f.toml").value();
    const ExperimentOptions options = config.experiment().value();
    const Dataset data = read_dataset({client_file(0), client_file(1), client_file(2)},
                                      config.read_options().value())
                             .value();
    Progress progress;
    const auto result = run_experiment(data, options, progress).value();
    const report::DataFacts facts = report::facts_of(data);
    return comparable(report::result_json({"", config_json(config), options, facts, result}));
  }

  [[nodiscard]] static Json served_json(const Host& host, const ServedConfiguration& run) {
    return host.look([&](const Federation& federation) {
      const ServedResult served = served_result(federation, run, "run.db", 1.0).value();
      return comparable(report::result_json({"", config_json(run.config, &run.server), run.options,
                                             served.data, served.result, served.labels}));
    });
  }

  /// Leaves out the time, the regret, which a server knows and a simulation does not by itself, and
  /// what needs single predictions, which a server does not see.
  static Json comparable(const Json& result) {
    Json part = {{"data", result["data"]}, {"results", result["results"]}};
    for (const char* key : {"seconds", "regret", "bounds", "mae"}) part["results"][0].erase(key);
    part["results"][0]["baselines"].erase("persistence");
    part["data"].erase("in_order");  // these rows were dealt in memory
    return part;
  }

  std::filesystem::path directory_;
};

TEST_F(ServedConfigurationTest, HasTheResultOfTheSimulationBitForBit) {
  for (const std::string algorithm :
       {"[algorithm]\nmode = \"synchronous\"\n",
        "[algorithm]\nrounds_per_upload = 4\nsample = 3\nmin_batch = 1\nmode = \"synchronous\"\n",
        "[schedule]\nkind = \"adaptive-first-order\"\n", "[schedule]\nkind = \"theory\"\n"}) {
    const std::string text = scaled() + algorithm + kServer;
    std::filesystem::remove(path("run.db"));
    const auto run = read(text);
    ASSERT_TRUE(run.ok()) << run.error().line();
    const auto host = serve(*run);
    EXPECT_EQ(served_json(*host, *run), simulate(text)) << algorithm;
  }
}

TEST_F(ServedConfigurationTest, ItsModelComesFromTheStoreAlone) {
  const auto run = read(scaled() + kServer);
  ASSERT_TRUE(run.ok()) << run.error().line();
  const auto host = serve(*run);
  const Json model = host->look([&](const Federation& federation) {
    return report::model_json(*served_model(federation, *run, federation.learned()));
  });
  Store store = Store::open_for_reading(path("run.db")).value();
  const auto stored = parse_plan(store.run()->plan, "run.db");
  ASSERT_TRUE(stored.ok()) << stored.error().line();
  const auto federation = recover_federation(stored->federation, store);
  ASSERT_TRUE(federation.ok()) << federation.error().line();
  EXPECT_EQ(report::model_json(*served_model(*federation, *stored, federation->learned())), model);
  const auto parsed = report::parse_model(report::json_text(model), "model.json");
  ASSERT_TRUE(parsed.ok()) << parsed.error().line();
  EXPECT_THAT(parsed->feature_names, testing::ElementsAre("a", "b"));
  EXPECT_EQ(parsed->scaling.feature_range, Interval(-1, 1));
}

TEST_F(ServedConfigurationTest, AModelWithoutRangesHasTheColumnsOfTheClients) {
  const std::string bounds = "max_abs_target = 20\nmax_feature_norm = 10\n";
  for (const auto& [target, column] : {std::pair("last", 2U), std::pair("2", 1U)}) {
    std::filesystem::remove(path("run.db"));
    const auto run = read("[data]\ntarget = \"" + std::string(target) + "\"\n" + kServer + bounds);
    ASSERT_TRUE(run.ok()) << run.error().line();
    EXPECT_EQ(run->federation.plan.features, 0U);
    const auto host = serve(*run);
    const auto model = host->look([&](const Federation& federation) {
      return served_model(federation, *run, federation.learned());
    });
    const auto parsed =
        report::parse_model(report::json_text(report::model_json(*model)), "model.json");
    ASSERT_TRUE(parsed.ok()) << parsed.error().line();
    EXPECT_EQ(parsed->scaling.columns, 3U);
    EXPECT_EQ(parsed->scaling.target_column, column);
    EXPECT_EQ(parsed->scaling.target_original(0.25), 0.25);
  }
}

TEST_F(ServedConfigurationTest, WhatCannotBeServedIsRefused) {
  const std::string good = scaled() + kServer;
  EXPECT_EQ(fault(good), "");
  EXPECT_THAT(fault(good + "[run]\nrepeats = 2\n"), HasSubstr("run.repeats"));
  EXPECT_THAT(fault(good + "[run]\nregret = true\n"), HasSubstr("run.regret"));
  EXPECT_THAT(fault(good + "[algorithm]\nname = \"nco-oms\"\n"),
              HasSubstr("'nco-oms' cannot be served"));
  EXPECT_THAT(fault(good + "[algorithm]\nname = [\"fomd-oms\", \"nco-oms\"]\n"),
              HasSubstr("2 algorithms are named"));
  EXPECT_THAT(fault(scaled()), HasSubstr("server.clients: there are none"));
  EXPECT_THAT(fault("[data]\nlabel_range = [0, 1]\n" + std::string(kServer)),
              HasSubstr("data.scale_from"));
  EXPECT_THAT(fault(kServer), HasSubstr("server.max_abs_target"));
  EXPECT_THAT(fault(good + "quorum = 4\n"), HasSubstr("server.quorum"));
  EXPECT_THAT(fault(good + "quorum = 1\n"), HasSubstr("expected a deadline too"));
  EXPECT_THAT(fault(good + "label_delay = 1001\n"), HasSubstr("server.label_delay"));
}

TEST_F(ServedConfigurationTest, WhatIsIgnoredIsNamed) {
  const auto config = parse_config(
      "[data]\nfile = \"x.csv\"\n[federation]\nclients = 5\npartition = \"blocks\"\ndropout = "
      "0.1\n",
      "f.toml");
  EXPECT_THAT(ignored_settings(*config),
              testing::ElementsAre("data.file", "federation.clients", "federation.partition",
                                   "federation.dropout"));
  EXPECT_THAT(ignored_settings(RunConfig{}), testing::IsEmpty());
}

TEST_F(ServedConfigurationTest, ThePlanIsTheSameWhereverItIsServedAndAnotherForAnotherRun) {
  const auto plan = [&](const std::string& more) {
    const auto run = read(scaled() + "[algorithm]\nmode = \"synchronous\"\n" + kServer + more);
    EXPECT_TRUE(run.ok()) << run.error().line();
    return plan_text(*run);
  };
  const std::string usual = plan("");
  EXPECT_EQ(plan("listen = \"localhost:1\"\nstore = \"x.db\"\nhttp = \"localhost:2\"\n"), usual);
  EXPECT_EQ(plan("quorum = 2\ndeadline_ms = 5\ndurability = 9\nviolations = 7\n"), usual);
  EXPECT_EQ(plan("[run]\nthreads = 3\n[federation]\nclients = 4\n"), usual);
  EXPECT_NE(plan("[run]\nseed = 2\n"), usual);
  EXPECT_NE(plan("label_delay = 3\n"), usual);
  EXPECT_NE(plan("max_abs_target = 3\n"), usual);
  EXPECT_NE(plan("[schedule]\nfixed_share = 0.1\n"), usual);
  std::filesystem::copy(path("ranges.csv"), path("same.csv"));
  std::string text = scaled() + "[algorithm]\nmode = \"synchronous\"\n" + kServer;
  text.replace(text.find("ranges.csv"), 10, "same.csv");
  EXPECT_EQ(plan_text(*read(text)), usual);
}

TEST_F(ServedConfigurationTest, APlanReadsBackToItself) {
  for (const std::string& text :
       {scaled() + kServer, std::string(kServer) + "max_abs_target = 2\nmax_feature_norm = 2\n" +
                                "[run]\nseed = \"18446744073709551615\"\n"}) {
    const auto run = read(text);
    ASSERT_TRUE(run.ok()) << run.error().line();
    const auto again = parse_plan(plan_text(*run), "run.db");
    ASSERT_TRUE(again.ok()) << again.error().line();
    EXPECT_EQ(plan_text(*again), plan_text(*run));
    EXPECT_EQ(again->federation.plan.columns->ranges, run->federation.plan.columns->ranges);
    EXPECT_EQ(again->federation.plan.seed, run->federation.plan.seed);
  }
}

TEST_F(ServedConfigurationTest, WhatIsNoPlanIsRefused) {
  for (const char* text : {"", "x", "[]", "{}", R"({"format": "caucus-plan", "format_version": 1})",
                           R"({"format": "caucus-plan", "format_version": 2, "config": "[x]"})"}) {
    const auto run = parse_plan(text, "run.db");
    ASSERT_FALSE(run.ok()) << text;
    EXPECT_THAT(run.error().line(), HasSubstr("run.db")) << text;
  }
}

}  // namespace
}  // namespace caucus::cli
