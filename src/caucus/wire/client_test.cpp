#include "caucus/client.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "caucus/wire/test_keys.hpp"
#include "caucus/wire/test_server.hpp"

namespace caucus {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

ClientOptions options_for(const wire::TestServer& server, const std::string& name) {
  ClientOptions options;
  options.server = server.address().text();
  options.name = name;
  options.features = 4;
  return options;
}

TEST(Client, ValidatesItsOptions) {
  ClientOptions options;
  options.server = "127.0.0.1:7400";
  options.name = "c1";
  options.features = 4;
  EXPECT_TRUE(options.validate().ok());
  const auto refused = [&](auto change) {
    ClientOptions changed = options;
    change(changed);
    const auto started = Client::start(changed);
    return !started.ok() && started.error().kind == ErrorKind::usage;
  };
  EXPECT_TRUE(refused([](auto& o) { o.server = "somewhere"; }));
  EXPECT_TRUE(refused([](auto& o) { o.server = "192.0.2.1:7400"; }));
  EXPECT_TRUE(refused([](auto& o) { o.name = "no name"; }));
  EXPECT_TRUE(refused([](auto& o) { o.patience = milliseconds(-1); }));
}

TEST(Client, FailsCleanlyWithoutAServer) {
  ClientOptions options;
  options.server = "127.0.0.1:1";
  options.name = "c1";
  options.features = 4;
  options.patience = milliseconds(200);
  const auto client = Client::start(options);
  ASSERT_TRUE(client.ok());
  EXPECT_FALSE((*client)->predict(std::vector<float>(4)).ok());
  EXPECT_FALSE((*client)->observe(1, 0.0));
  const auto models = (*client)->wait_for_models(seconds(20));
  ASSERT_FALSE(models.ok());
  EXPECT_NE(models.error().what.find("no answer"), std::string::npos) << models.error().line();
  EXPECT_FALSE((*client)->wait_until_finished(milliseconds(0)).ok());
  EXPECT_EQ((*client)->state(), ConnectionState::failed);
  EXPECT_FALSE((*client)->plan());
  EXPECT_FALSE((*client)->run());
}

TEST(Client, RefusesExamplesOfAnotherShape) {
  const auto settings = test_settings(1, ScheduleKind::constant);
  wire::TestServer server(settings);
  auto options = options_for(server, "c1");
  options.features = 5;
  const auto client = Client::start(options);
  const auto models = (*client)->wait_for_models(seconds(20));
  ASSERT_FALSE(models.ok());
  EXPECT_EQ(models.error().kind, ErrorKind::usage) << models.error().line();
}

TEST(Client, LearnsThePlanBeforeItSaysTheShapeOfItsExamples) {
  const auto settings = test_settings(1, ScheduleKind::constant, 5);
  wire::TestServer server(settings);
  auto options = options_for(server, "c1");
  options.features = 0;
  const auto client = Client::start(options);
  const auto plan = (*client)->wait_for_plan(seconds(20));
  ASSERT_TRUE(plan.ok()) << plan.error().line();
  EXPECT_EQ(plan->rounds_per_upload, 5U);
  EXPECT_EQ(plan->features, 4U);
  EXPECT_FALSE((*client)->wait_for_models(milliseconds(50)).ok()) << "it has not said its shape";
  EXPECT_EQ((*client)->ready(10, 0, 0).error().kind, ErrorKind::usage);
  EXPECT_EQ((*client)->ready(10, 3, 0).error().kind, ErrorKind::usage);
  ASSERT_TRUE((*client)->ready(10, 4, 0).ok());
  EXPECT_EQ((*client)->ready(10, 4, 0).error().kind, ErrorKind::usage) << "a second time";
  EXPECT_TRUE((*client)->wait_for_models(seconds(20)).ok());
}

TEST(Client, CanWaitForItsFirstModelsToPredict) {
  wire::TestServer server(test_settings(2, ScheduleKind::constant));
  const TestSource source({1});
  const auto client = Client::start(options_for(server, "c1"));
  const auto early = (*client)->predict(source.example(0, 0).x, milliseconds(50));
  ASSERT_FALSE(early.ok()) << "the other client has not joined";
  EXPECT_NE(early.error().what.find("in time"), std::string::npos) << early.error().line();
  const auto other = Client::start(options_for(server, "c2"));
  const auto prediction = (*client)->predict(source.example(0, 0).x, seconds(20));
  ASSERT_TRUE(prediction.ok()) << prediction.error().line();
  EXPECT_EQ(prediction->batch, 1U);
}

TEST(Client, EndsEveryWaitWhenItIsStopped) {
  wire::TestServer server(test_settings(2, ScheduleKind::constant));
  const auto client = Client::start(options_for(server, "c1"));
  ASSERT_TRUE((*client)->wait_for_plan(seconds(20)).ok());
  std::thread stopper([&] { (*client)->stop(); });
  const auto models = (*client)->wait_for_models(Client::kForever);
  stopper.join();
  ASSERT_FALSE(models.ok());
  EXPECT_NE(models.error().what.find("stopped"), std::string::npos) << models.error().line();
  EXPECT_FALSE((*client)->observe(1, 0.0));
}

/// As caucus join does: every bit is that of the simulation, with the curve.
TEST(Client, HasTheBitsOfTheSimulationWhenItAnswersBatchByBatch) {
  constexpr std::size_t kRowsPerBatch = 4;
  const TestSource source({13, 22});
  const auto settings = test_settings(2, ScheduleKind::adaptive, kRowsPerBatch);
  wire::TestServer server(settings);
  std::vector<std::thread> threads;
  for (std::size_t j = 0; j < 2; ++j) {
    threads.emplace_back([&, j] {
      auto options = options_for(server, "c" + std::to_string(j + 1));
      options.examples = source.rounds(j);
      options.by_batch = true;
      const auto client = Client::start(options);
      ASSERT_TRUE((*client)->wait_for_plan(seconds(20)).ok());
      EXPECT_FALSE((*client)->report(false).ok()) << "no batch is open";
      std::size_t row = 0;
      while (true) {
        const auto batch = (*client)->next_batch();
        ASSERT_TRUE(batch.ok()) << batch.error().line();
        if (!*batch) break;
        for (std::size_t n = 0; n < kRowsPerBatch && row < source.rounds(j); ++n, ++row) {
          const Example example = source.example(j, row);
          const auto prediction = (*client)->predict(example.x);
          ASSERT_TRUE(prediction.ok());
          EXPECT_EQ(prediction->batch, (*batch)->number);
          ASSERT_TRUE((*client)->observe(prediction->id, example.y));
        }
        ASSERT_TRUE((*client)->report(row == source.rounds(j)).ok());
      }
      EXPECT_EQ(row, source.rounds(j));
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(server.learned(), simulated(settings, source));
}

TEST(Client, WarnsOnceWhenTrueValuesComeTooLate) {
  auto settings = test_settings(1, ScheduleKind::constant);
  settings.plan.label_delay = 0;
  wire::TestServer server(settings);
  const TestSource source({200});
  std::mutex mutex;
  std::vector<std::string> warnings;
  auto options = options_for(server, "c1");
  options.log = [&](LogLevel level, std::string_view event, std::initializer_list<LogField>) {
    const std::lock_guard lock(mutex);
    if (level == LogLevel::warning) warnings.emplace_back(event);
  };
  const auto client = Client::start(options);
  ASSERT_TRUE((*client)->wait_for_models(seconds(20)).ok());
  ASSERT_EQ((*client)->plan()->label_delay, 0U);
  std::vector<std::uint64_t> ids;
  for (std::size_t row = 0; row < 200; ++row) {
    ids.push_back((*client)->predict(source.example(0, row).x)->id);
  }
  ASSERT_TRUE((*client)->observe(ids[0], source.example(0, 0).y));  // closes the batch
  while ((*client)->batch() < 2) std::this_thread::sleep_for(milliseconds(1));
  for (std::size_t row = 1; row < 50; ++row) {
    EXPECT_FALSE((*client)->observe(ids[row], source.example(0, row).y));
  }
  EXPECT_TRUE(warnings.empty()) << "too few to tell";
  for (std::size_t row = 50; row < 200; ++row) {
    EXPECT_FALSE((*client)->observe(ids[row], source.example(0, row).y));
  }
  const std::lock_guard lock(mutex);
  EXPECT_EQ(warnings, std::vector<std::string>{"labels too late"});
}

/// As an application: row after row, labels at once, and each with the models of a batch of its
/// own.
void play(Client& client, const TestSource& source, std::size_t j, std::size_t first,
          std::size_t end) {
  for (std::size_t row = first; row < end; ++row) {
    while (client.batch() < row + 1) std::this_thread::sleep_for(milliseconds(1));
    const Example example = source.example(j, row);
    const auto prediction = client.predict(example.x);
    ASSERT_TRUE(prediction.ok());
    ASSERT_TRUE(client.observe(prediction->id, example.y));
  }
}

/// Batches wait for all clients, so the result is that of the simulation.
TEST(Client, HasTheBitsOfTheSimulationWhenItWaitsForItsModels) {
  const TestSource source({12, 20});
  const auto settings = test_settings(2, ScheduleKind::adaptive);
  wire::TestServer server(settings);
  std::vector<std::thread> threads;
  for (std::size_t j = 0; j < 2; ++j) {
    threads.emplace_back([&, j] {
      auto options = options_for(server, "c" + std::to_string(j + 1));
      options.examples = source.rounds(j);
      const auto client = Client::start(options);
      ASSERT_TRUE(client.ok());
      play(**client, source, j, 0, source.rounds(j));
      (*client)->finish();
      EXPECT_TRUE((*client)->wait_until_finished(seconds(30)).ok());
      EXPECT_EQ((*client)->counts().predictions, source.rounds(j));
      EXPECT_TRUE((*client)->run());
    });
  }
  for (std::thread& thread : threads) thread.join();
  Learned here = server.learned();
  Learned there = simulated(settings, source);
  here.curve = there.curve = {};  // each said in a batch more that it has no examples
  EXPECT_EQ(here, there);
  EXPECT_EQ(server.host().status().forecasts, 32U);
}

TEST(Client, GoesOnWithoutTheServerAndReportsLater) {
  auto settings = test_settings(1, ScheduleKind::constant, 5);
  const TestSource source({1000});
  wire::TestServer server(settings);
  std::mutex mutex;
  std::vector<ConnectionState> states;
  auto options = options_for(server, "c1");
  options.on_state = [&](ConnectionState state, const std::string&) {
    const std::lock_guard lock(mutex);
    states.push_back(state);
  };
  const auto client = Client::start(options);
  ASSERT_TRUE((*client)->wait_for_models(seconds(20)).ok());
  ASSERT_TRUE((*client)->plan());
  EXPECT_EQ((*client)->plan()->rounds_per_upload, 5U);
  server.kill();
  std::vector<std::uint64_t> ids;
  for (std::size_t row = 0; row < 20; ++row) {
    const auto prediction = (*client)->predict(source.example(0, row).x);
    ASSERT_TRUE(prediction.ok());
    ids.push_back(prediction->id);
  }
  // Labels in another order, while nobody is there.
  for (std::size_t k = 20; k-- > 10;) {
    EXPECT_TRUE((*client)->observe(ids[k], source.example(0, k).y));
  }
  server.start();
  for (std::size_t k = 0; k < 10; ++k) {
    (*client)->observe(ids[k], source.example(0, k).y);
  }
  (*client)->finish();
  const auto done = (*client)->wait_until_finished(seconds(30));
  EXPECT_TRUE(done.ok()) << done.error().line();
  const auto status = server.host().status();
  EXPECT_EQ(status.forecasts, (*client)->counts().observed);
  EXPECT_GE(status.forecasts, 10U);
  EXPECT_EQ(status.members[0].counters.rejected, 0U);
  const std::lock_guard lock(mutex);
  using enum ConnectionState;
  EXPECT_EQ(states, (std::vector{connecting, connected, disconnected, connected, finished}));
}

TEST(Client, SaysWhenNobodyWillHearOfATrueValueAnyMore) {
  const auto settings = test_settings(1, ScheduleKind::constant);
  const TestSource source({10});
  wire::TestServer server(settings);
  auto options = options_for(server, "c1");
  options.patience = milliseconds(200);
  const auto client = Client::start(options);
  ASSERT_TRUE((*client)->wait_for_models(seconds(20)).ok());
  server.kill();
  EXPECT_FALSE((*client)->wait_until_finished(seconds(20)).ok());
  EXPECT_EQ((*client)->state(), ConnectionState::failed);
  const auto prediction = (*client)->predict(source.example(0, 0).x);
  ASSERT_TRUE(prediction.ok()) << "the last models are still there";
  EXPECT_FALSE((*client)->observe(prediction->id, source.example(0, 0).y));
  EXPECT_EQ((*client)->counts().observed, 0U);
}

TEST(Client, GoesOnAfterACrashWhereTheServerHasIt) {
  const TestSource source({20});
  const auto settings = test_settings(1, ScheduleKind::adaptive);
  wire::TestServer server(settings);
  auto options = options_for(server, "c1");
  std::optional<RunId> run;
  {
    const auto client = Client::start(options);
    play(**client, source, 0, 0, 8);
    while ((*client)->batch() < 9) std::this_thread::sleep_for(milliseconds(1));
    run = (*client)->run();
  }
  {
    options.patience = seconds(20);
    const auto client = Client::start(options);
    const auto models = (*client)->wait_for_models(seconds(20));
    ASSERT_FALSE(models.ok()) << "it says that it begins, and the server has examples of it";
    EXPECT_NE(models.error().line().find("8 examples"), std::string::npos) << models.error().line();
  }
  options.resume = true;
  {
    auto strange = options;
    strange.run = RunId{9};
    const auto client = Client::start(strange);
    const auto models = (*client)->wait_for_models(seconds(20));
    ASSERT_FALSE(models.ok());
    EXPECT_NE(models.error().line().find("another run"), std::string::npos)
        << models.error().line();
  }
  options.run = run;
  const auto client = Client::start(options);
  ASSERT_TRUE((*client)->wait_for_models(seconds(20)).ok());
  ASSERT_EQ((*client)->counted(), 8U);
  play(**client, source, 0, 8, 20);
  (*client)->finish();
  EXPECT_TRUE((*client)->wait_until_finished(seconds(30)).ok());
  Learned here = server.learned();
  Learned there = simulated(settings, source);
  here.curve = there.curve = {};  // it said in a batch more that it has no examples
  EXPECT_EQ(here, there);
}

TEST(Client, ShowsItsKeysAndItsToken) {
  const TestSource source({3});
  const auto settings = test_settings(1, ScheduleKind::constant);
  const Identity signer = wire::authority();
  auto with_keys = wire::server_options(signer, "127.0.0.1");
  with_keys.tokens =
      TokenFile::parse("c1 " + hash_of_token("the token of c1").value() + "\n", "tokens").value();
  wire::TestServer server(settings, 1, with_keys);
  auto options = options_for(server, "c1");
  options.patience = seconds(2);
  const auto failure = [](const ClientOptions& shown) {
    const auto client = Client::start(shown);
    const auto models = (*client)->wait_for_models(seconds(20));
    return models.ok() ? std::string() : models.error().line();
  };
  options.token = "the token of c1";
  EXPECT_NE(failure(options).find("no answer"), std::string::npos) << "without TLS";
  options.tls = wire::keys_of(signer, "c1");
  options.token = "another";
  EXPECT_NE(failure(options).find("refuses"), std::string::npos) << failure(options);
  options.token = "the token of c1";
  const auto client = Client::start(options);
  ASSERT_TRUE((*client)->wait_for_models(seconds(20)).ok());
  play(**client, source, 0, 0, 3);
  (*client)->finish();
  EXPECT_TRUE((*client)->wait_until_finished(seconds(30)).ok());
  EXPECT_EQ(server.host().status().forecasts, 3U);
}

TEST(Client, LosesNoExampleToThreads) {
  // The models of a batch may be used for all 4000 examples: 1000 and three batches' late labels.
  const auto settings = test_settings(1, ScheduleKind::constant, 1000);
  const TestSource source({4000});
  wire::TestServer server(settings);
  const auto client = Client::start(options_for(server, "c1"));
  ASSERT_TRUE((*client)->wait_for_models(seconds(20)).ok());
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (std::size_t row = t; row < 4000; row += 4) {
        const auto prediction = (*client)->predict(source.example(0, row).x);
        ASSERT_TRUE(prediction.ok());
        (*client)->observe(prediction->id, source.example(0, row).y);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  (*client)->finish();
  const auto done = (*client)->wait_until_finished(seconds(60));
  ASSERT_TRUE(done.ok()) << done.error().line();
  const auto counts = (*client)->counts();
  EXPECT_EQ(counts.predictions, 4000U);
  EXPECT_EQ(counts.observed + counts.forgotten, 4000U);
  EXPECT_EQ(server.host().status().forecasts, counts.observed);
  EXPECT_GT(counts.observed, 3900U);
  EXPECT_EQ(server.host().status().members[0].counters.rejected, 0U);
}

}  // namespace
}  // namespace caucus
