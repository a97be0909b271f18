#include "http_endpoint.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

#include "settings.hpp"
#include "stop_signals.hpp"

namespace caucus::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

int connect_to(const Address& address) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_port = htons(address.port);
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(connect(fd, reinterpret_cast<const sockaddr*>(&place), sizeof place), 0);
  return fd;
}

/// All of the answer.
std::string get(const Address& address, const std::string& path) {
  const int fd = connect_to(address);
  const std::string request = "GET " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
  EXPECT_EQ(send(fd, request.data(), request.size(), 0), static_cast<ssize_t>(request.size()));
  std::string answer;
  char buffer[4096];
  for (ssize_t n = 0; (n = recv(fd, buffer, sizeof buffer, 0)) > 0;) {
    answer.append(buffer, static_cast<std::size_t>(n));
  }
  close(fd);
  return answer;
}

HostStatus some_status() {
  HostStatus status;
  status.batch = 7;
  return status;
}

TEST(HttpEndpoint, AnswersStatusMetricsAndHealth) {
  const auto endpoint = HttpEndpoint::start({"127.0.0.1", 0}, some_status);
  ASSERT_TRUE(endpoint.ok()) << endpoint.error().line();
  const Address address = (*endpoint)->address();
  EXPECT_GT(address.port, 0);
  const std::string status = get(address, "/status");
  EXPECT_THAT(status, StartsWith("HTTP/1.1 200"));
  EXPECT_EQ(Json::parse(status.substr(status.find("\r\n\r\n")))["batch"], 7);
  const std::string metrics = get(address, "/metrics");
  EXPECT_THAT(metrics, HasSubstr("text/plain; version=0.0.4"));
  EXPECT_THAT(metrics, HasSubstr("\ncaucus_batch 7\n"));
  EXPECT_THAT(get(address, "/healthz"), HasSubstr("\r\n\r\nok\n"));
  EXPECT_THAT(get(address, "/other"), StartsWith("HTTP/1.1 404"));
}

TEST(HttpEndpoint, APortThatIsTakenIsAnError) {
  const auto first = HttpEndpoint::start({"127.0.0.1", 0}, some_status);
  ASSERT_TRUE(first.ok());
  const auto second = HttpEndpoint::start((*first)->address(), some_status);
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().kind, ErrorKind::network);
  EXPECT_THAT(second.error().line(), HasSubstr("server.http"));
}

TEST(HttpEndpoint, ConnectionsThatSayNothingDoNotKeepItFromEnding) {
  auto endpoint = HttpEndpoint::start({"127.0.0.1", 0}, some_status);
  ASSERT_TRUE(endpoint.ok());
  std::vector<int> idle;
  for (int i = 0; i < 3; ++i) idle.push_back(connect_to((*endpoint)->address()));
  (*endpoint).reset();
  for (const int fd : idle) close(fd);
}

TEST(StopSignals, BecomeACallOnAThread) {
  std::atomic<int> calls = 0;
  {
    StopSignals signals;
    signals.watch([&] { ++calls; });
    EXPECT_FALSE(signals.came());
    kill(getpid(), SIGTERM);
    while (!signals.came() || calls == 0) std::this_thread::yield();
  }
  EXPECT_EQ(calls, 1);
}

TEST(StopSignals, NotComingIsNoCall) {
  std::atomic<int> calls = 0;
  {
    StopSignals signals;
    signals.watch([&] { ++calls; });
  }
  EXPECT_EQ(calls, 0);
}

}  // namespace
}  // namespace caucus::cli
