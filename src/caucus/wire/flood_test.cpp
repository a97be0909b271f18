// Strangers that keep to no rule of gRPC's clients. They neither fill the server's memory beyond
// the bound of docs/protocol.md nor keep its clients out.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "caucus/v1/federation.grpc.pb.h"
#include "caucus/wire/channel.hpp"
#include "caucus/wire/test_flood.hpp"
#include "caucus/wire/test_keys.hpp"
#include "caucus/wire/test_raw_http2.hpp"
#include "caucus/wire/test_server.hpp"

namespace caucus::wire {
namespace {

using std::chrono::milliseconds;

TEST(Flood, HalfMessagesOfStrangersTakeLittleMemory) {
  constexpr std::size_t kLargest = 16U << 20U;
  const auto settings = test_settings(2, ScheduleKind::constant);
  ServerOptions options;
  options.largest_report = kLargest;
  TestServer server(settings, 1, options);
  const MemoryPeak memory;
  std::vector<std::thread> senders;
  for (int n = 0; n < 4; ++n) {
    senders.emplace_back([&] {
      raw::Sender(server.address(), "Join", 15).send_most_of(kLargest, milliseconds(3000));
    });
  }
  std::this_thread::sleep_for(milliseconds(500));
  expect_a_run_as_ever(settings, server);
  for (std::thread& sender : senders) sender.join();
  // 60 messages are 1,007 MB. Six streams may be pending, and some may be on their way out.
  EXPECT_LT(memory.megabytes(), kMostMegabytes);
}

/// The first bytes of a connection and so many calls, in as few bytes as HTTP/2 allows.
std::string calls(const std::string& method, std::uint32_t count, bool cancelled = false) {
  std::string bytes(raw::kPreface);
  bytes += raw::frame(raw::kSettings, 0, 0, "");
  bytes += raw::frame(raw::kHeaders, raw::kEndHeaders, 1, raw::call(method, raw::kRemembered));
  for (std::uint32_t n = 1; n < count; ++n) {
    bytes += raw::frame(raw::kHeaders, raw::kEndHeaders, 2 * n + 1, raw::same_call(method));
    if (cancelled) bytes += raw::frame(raw::kReset, 0, 2 * n + 1, raw::number(8, 4));
  }
  return bytes;
}

struct Attack {
  std::string name, method;
  std::uint32_t streams = 500;  ///< of each connection
  bool cancelled = false;       ///< each call at once
  bool without_certificate = false;
};

class StreamFlood : public testing::TestWithParam<Attack> {};

TEST_P(StreamFlood, TakesLittleMemoryAndKeepsNobodyOut) {
  constexpr int kConnections = 8;
  const Attack& attack = GetParam();
  const auto settings = test_settings(2, ScheduleKind::constant);
  const Identity signer = authority();
  ServerOptions options;
  if (attack.without_certificate) options = server_options(signer, "127.0.0.1");
  TestServer server(settings, 1, options);
  const std::string flood = calls(attack.method, attack.streams, attack.cancelled);
  const MemoryPeak memory;
  std::vector<std::thread> senders;
  for (int n = 0; n < kConnections; ++n) {
    senders.emplace_back([&] {
      raw::Connection connection(server.address(), attack.without_certificate);
      connection.send(flood);
      EXPECT_EQ(connection.ends(std::chrono::seconds(attack.without_certificate ? 5 : 1)),
                attack.without_certificate);
    });
  }
  expect_a_run_as_ever(settings, server, [&](std::uint32_t j) {
    ConnectionOptions client;
    if (attack.without_certificate) client.tls = keys_of(signer, "c" + std::to_string(j + 1));
    return client;
  });
  for (std::thread& sender : senders) sender.join();
  EXPECT_LT(memory.megabytes(), attack.without_certificate ? kMostMegabytes / 4 : kMostMegabytes);
}

INSTANTIATE_TEST_SUITE_P(
    Of, StreamFlood,
    testing::Values(Attack{"Joins", "Join"}, Attack{"StatusRequests", "Status"},
                    Attack{"UnknownMethods", "Nothing"},
                    Attack{"JoinsCancelled", "Join", 500, true},
                    Attack{"JoinsWithoutACertificate", "Join", 20'000, false, true}),
    [](const auto& one) { return one.param.name; });

TEST(Flood, IsNotWhatAnHonestClientDoesInTime) {
  TestServer server(test_settings(2, ScheduleKind::constant));
  const auto stub = v1::Federation::NewStub(make_channel(server.address(), {}));
  for (int n = 0; n < 300; ++n) {  // all on one connection
    grpc::ClientContext context;
    const auto call = stub->Status(&context);
    call->WriteLast({}, {});
    v1::StatusReply reply;
    EXPECT_TRUE(call->Read(&reply));
    const auto status = call->Finish();
    ASSERT_TRUE(status.ok()) << n << ": " << status.error_message();
  }
}

TEST(Flood, DoesNotKeepAServerFromShuttingDown) {
  auto server = std::make_unique<TestServer>(test_settings(2, ScheduleKind::constant));
  const std::string flood = calls("Join", 1'000);
  std::vector<std::unique_ptr<raw::Connection>> left;
  for (int n = 0; n < 10; ++n) {
    left.push_back(std::make_unique<raw::Connection>(server->address()));
    left.back()->send(flood);
  }
  const auto start = std::chrono::steady_clock::now();
  server.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

TEST(Flood, OfSilentConnectionsKeepsNobodyOut) {
  const auto settings = test_settings(2, ScheduleKind::constant);
  TestServer server(settings);
  std::vector<std::unique_ptr<raw::Connection>> silent;
  for (int n = 0; n < 300; ++n) {
    silent.push_back(std::make_unique<raw::Connection>(server.address()));
  }
  expect_a_run_as_ever(settings, server);
}

/// Eight streams of one connection on which these bytes are said and nothing more.
std::string streams(const std::string& method, const std::string& said,
                    const std::string& settings = {}) {
  std::string bytes(raw::kPreface);
  bytes += raw::frame(raw::kSettings, 0, 0, settings);
  for (std::uint32_t stream = 1; stream < 16; stream += 2) {
    bytes += raw::frame(raw::kHeaders, raw::kEndHeaders, stream, raw::call(method)) +
             raw::frame(raw::kData, 0, stream, said);
  }
  return bytes;
}

/// Seconds until the server ends a connection on which only these bytes are said.
double lasts(const Address& server, const std::string& bytes) {
  const auto start = std::chrono::steady_clock::now();
  raw::Connection connection(server);
  EXPECT_TRUE(connection.send(bytes));
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  while (!connection.over() && seconds() < 10.0) connection.receive(milliseconds(100));
  return seconds();
}

ServerOptions impatient() {
  ServerOptions options;
  options.hello_within = milliseconds(200);
  return options;
}

TEST(Flood, ConnectionsThatNeverBecomeOneAreEnded) {
  TestServer server(test_settings(2, ScheduleKind::constant), 1, impatient());
  EXPECT_LT(lasts(server.address(), ""), 5.0);
  EXPECT_LT(lasts(server.address(), "GET / HTTP/1.1\r\n\r\n"), 5.0);
  EXPECT_LT(lasts(server.address(), std::string(raw::kPreface)), 5.0);
  // A whole greeting, and then no stream.
  const std::string greeting =
      std::string(raw::kPreface) + raw::frame(raw::kSettings, 0, 0, std::string());
  EXPECT_LT(lasts(server.address(), greeting), 8.0);
}

TEST(Flood, HalfATlsHandshakeIsNotWaitedFor) {
  ServerOptions options = server_options(authority(), "127.0.0.1");
  options.hello_within = impatient().hello_within;
  TestServer server(test_settings(2, ScheduleKind::constant), 1, options);
  EXPECT_LT(lasts(server.address(), ""), 5.0);
  EXPECT_LT(lasts(server.address(), std::string("\x16\x03\x01\x02\x00\x01", 6)), 5.0);
}

TEST(Flood, StreamsThatDoNotLetThemselvesEndAreBroken) {
  TestServer server(test_settings(2, ScheduleKind::constant), 1, impatient());
  v1::ClientMessage hello;
  hello.mutable_hello()->set_protocol(kProtocol);
  hello.mutable_hello()->set_client("nobody");
  const std::string no_window("\0\4\0\0\0\0", 6);
  EXPECT_LT(
      lasts(server.address(), streams("Join", raw::framed(hello.SerializeAsString()), no_window)),
      8.0);
  EXPECT_LT(lasts(server.address(), streams("Status", raw::framed(""), no_window)), 8.0);
}

TEST(Flood, HalfAQuestionOrHelloIsNotWaitedFor) {
  TestServer server(test_settings(2, ScheduleKind::constant), 1, impatient());
  for (const char* method : {"Join", "Status"}) {
    EXPECT_LT(lasts(server.address(), streams(method, raw::framed("\x0a", 100))), 8.0) << method;
    EXPECT_LT(lasts(server.address(), streams(method, "")), 8.0) << method;
  }
}

}  // namespace
}  // namespace caucus::wire
