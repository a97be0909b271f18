// Streams and connections without number, by somebody who confirms no limit: they neither fill the
// server's memory nor keep its clients out.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <memory>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include "caucus/v1/federation.grpc.pb.h"
#include "caucus/wire/channel.hpp"
#include "caucus/wire/listener.hpp"
#include "caucus/wire/test_flood.hpp"
#include "caucus/wire/test_keys.hpp"
#include "caucus/wire/test_raw_http2.hpp"

namespace caucus::wire {
namespace {

using std::chrono::milliseconds;

/// A connection's first words and so many calls, of as few bytes as HTTP/2 can say it in.
std::string calls(const std::string& method, std::uint32_t count, bool given_up = false) {
  std::string bytes(raw::kPreface);
  bytes += raw::frame(raw::kSettings, 0, 0, "");
  bytes += raw::frame(raw::kHeaders, raw::kEndHeaders, 1, raw::call(method, raw::kRemembered));
  for (std::uint32_t n = 1; n < count; ++n) {
    bytes += raw::frame(raw::kHeaders, raw::kEndHeaders, 2 * n + 1, raw::same_call(method));
    if (given_up) bytes += raw::frame(raw::kReset, 0, 2 * n + 1, raw::number(8, 4));
  }
  return bytes;
}

struct Attack {
  std::string name, method;
  bool tls = false;
  bool given_up = false;  ///< each call at once

  friend std::ostream& operator<<(std::ostream& out, const Attack& attack) {
    return out << attack.name;
  }
};

class StreamsWithoutNumber : public testing::TestWithParam<Attack> {};

TEST_P(StreamsWithoutNumber, TakesLittleMemoryAndKeepsNobodyOut) {
  constexpr int kConnections = 8;
  const Attack& attack = GetParam();
  const auto settings = test_settings(2, ScheduleKind::constant);
  const Identity signer = authority();
  ServerOptions server_with;
  if (attack.tls) {
    server_with = server_options(signer, "127.0.0.1");
    server_with.keys->client_authority.clear();  // who has no certificate comes in too
  }
  TestServer server(settings, 1, server_with);
  const std::string flood = calls(attack.method, 20'000, attack.given_up);
  const MemoryPeak memory;
  std::vector<std::thread> senders;
  for (int n = 0; n < kConnections; ++n) {
    senders.emplace_back([&] {
      raw::Connection connection(server.address(), attack.tls);
      connection.say(flood);
      const bool lasts = attack.given_up || attack.method.empty();  // who takes no room may stay
      EXPECT_TRUE(connection.ends(std::chrono::seconds(lasts ? 1 : 5)) || lasts);
    });
  }
  expect_a_run_as_ever(settings, server, [&](std::uint32_t) {
    ConnectionOptions options;
    if (attack.tls) options.tls.ca = signer.certificate;
    return options;
  });
  for (std::thread& sender : senders) sender.join();
  // All of them would take 20 KB each, 3.2 GB; what is read at once takes 11 MB of a connection.
  EXPECT_LT(memory.megabytes(), kMostMegabytes);
}

INSTANTIATE_TEST_SUITE_P(
    Of, StreamsWithoutNumber,
    testing::Values(Attack{"Joins", "Join"}, Attack{"JoinsByTls", "Join", true},
                    Attack{"Questions", "Status"}, Attack{"WhatThereIsNot", "Nothing"},
                    Attack{"WhatThereIsNotByTls", "Nothing", true},
                    Attack{"JoinsGivenUpAtOnce", "Join", false, true}, Attack{"NoMethod", ""}),
    [](const auto& one) { return one.param.name; });

TEST(StreamFlood, IsSeenByTheOtherProtocolToo) {
  ServerOptions options;
  options.listen = {"::1", 0};
  if (!Listener::on(options.listen).ok()) GTEST_SKIP() << "this machine has no IPv6";
  LogLines lines;
  options.log = lines.log();
  TestServer server(test_settings(2, ScheduleKind::constant), 1, options);
  raw::Connection connection(server.address());
  connection.say(calls("Join", 1000));
  EXPECT_TRUE(connection.ends(std::chrono::seconds(3)));
  EXPECT_EQ(lines.beginning_with("connection broken peer=::1 ").size(), 1U);
}

TEST(StreamFlood, IsNotWhatAnHonestClientDoesInTime) {
  TestServer server(test_settings(2, ScheduleKind::constant));
  const auto stub = v1::Federation::NewStub(make_channel(server.address(), {}));
  for (int n = 0; n < 300; ++n) {  // all by one connection, which is not broken
    grpc::ClientContext context;
    const auto question = stub->Status(&context);
    question->WriteLast({}, {});
    v1::StatusReply reply;
    EXPECT_TRUE(question->Read(&reply));
    const auto status = question->Finish();
    ASSERT_TRUE(status.ok()) << n << ": " << status.error_message();
  }
}

TEST(StreamFlood, DoesNotKeepAServerFromGoingDown) {
  auto server = std::make_unique<TestServer>(test_settings(2, ScheduleKind::constant));
  const std::string flood = calls("Join", 20'000);
  std::vector<std::unique_ptr<raw::Connection>> left;  // what they have sent is there to be read
  for (int n = 0; n < 30; ++n) {
    left.push_back(std::make_unique<raw::Connection>(server->address()));
    left.back()->say(flood);
  }
  const auto start = std::chrono::steady_clock::now();
  server.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

TEST(StreamFlood, IsSeenOfTwoConnectionsFromOnePlace) {
  ServerOptions options;
  options.listen = {"0.0.0.0", 0};
  TestServer server(test_settings(2, ScheduleKind::constant), 1, options);
  raw::Connection first(server.address());
  auto second = std::make_unique<raw::Connection>(Address{"127.0.0.2", server.address().port},
                                                  false, first.port());
  second.reset();
  first.say(calls("Join", 20'000));
  EXPECT_TRUE(first.ends(std::chrono::seconds(3)));
}

TEST(ConnectionFlood, OfAStrangerEndsAfterAFewBytes) {
  LogLines lines;
  ServerOptions options;
  options.log = lines.log();
  options.largest_report = 4U << 20U;
  TestServer server(test_settings(2, ScheduleKind::constant), 1, options);
  raw::Sender sender(server.address(), "Join", 1);
  sender.send_most_of(2U << 20U, milliseconds(1000));
  for (int n = 0; n < 200 && lines.beginning_with("connection broken").empty(); ++n) {
    std::this_thread::sleep_for(milliseconds(10));
  }
  EXPECT_EQ(lines.beginning_with("connection broken").size(), 1U);
}

/// Files that this process has open.
std::size_t open_files() {
  const std::filesystem::directory_iterator files("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

TEST(ConnectionFlood, OfThoseWhoComeAndGoCountsUntilGrpcHasDoneWithThem) {
  constexpr int kSenders = 6;
  const auto settings = test_settings(2, ScheduleKind::constant);
  TestServer server(settings);
  const std::string flood = calls("Join", 20'000);
  const std::size_t before = open_files();
  const auto end = std::chrono::steady_clock::now() + milliseconds(1500);
  std::vector<std::thread> senders;
  for (int n = 0; n < kSenders; ++n) {
    senders.emplace_back([&] {
      while (std::chrono::steady_clock::now() < end) {
        const raw::Connection connection(server.address());
        connection.say(flood.substr(0, 100));  // little enough to be let in
        std::this_thread::sleep_for(milliseconds(2));
        connection.say(flood.substr(100));
      }
    });
  }
  std::size_t most = 0;
  while (std::chrono::steady_clock::now() < end) most = std::max(most, open_files());
  for (std::thread& sender : senders) sender.join();
  EXPECT_LT(most, before + 2 * 36 + kSenders + 20);  // there may be 36; it was a thousand
  expect_a_run_as_ever(settings, server);
}

TEST(ConnectionFlood, GivesWayToClients) {
  const auto settings = test_settings(2, ScheduleKind::constant);
  LogLines lines;
  ServerOptions options;
  options.log = lines.log();
  TestServer server(settings, 1, options);
  const TestSource source({200, 200});
  ConnectionOptions to_server;
  to_server.server = server.address();
  WireClient first(TestClient(settings.plan, 0, source), to_server);
  while (lines.beginning_with("joined").empty()) std::this_thread::sleep_for(milliseconds(1));
  std::vector<std::unique_ptr<raw::Connection>> silent;
  for (int n = 0; n < 300; ++n) {
    silent.push_back(std::make_unique<raw::Connection>(server.address()));
  }
  EXPECT_TRUE(silent.front()->ends(milliseconds(1000)));  // long before its silence is too long
  WireClient second(TestClient(settings.plan, 1, source), to_server);
  EXPECT_TRUE(first.wait().ok());
  EXPECT_TRUE(second.wait().ok());
  EXPECT_EQ(first.connection().streams(), 1U);  // it was there before them and has stayed
  EXPECT_EQ(server.learned(), simulated(settings, source));
  EXPECT_FALSE(silent.back()->ends(milliseconds(0)));
}

}  // namespace
}  // namespace caucus::wire
