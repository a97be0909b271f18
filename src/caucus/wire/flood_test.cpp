// What keeps to no rule of gRPC's clients: half messages, connections that become none. It neither
// fills the server's memory nor keeps its clients out.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "caucus/v1/federation.pb.h"
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
  options.strangers_bytes = 100 * kLargest;  // otherwise they would be broken before
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
  // 60 messages are 1,007 MB; six are 101, and some may be on their way out.
  EXPECT_LT(memory.megabytes(), kMostMegabytes);
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
  EXPECT_TRUE(connection.say(bytes));
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  while (!connection.over() && seconds() < 10.0) connection.hear(milliseconds(100));
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
