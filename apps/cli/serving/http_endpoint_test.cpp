#include "serving/http_endpoint.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "options/settings.hpp"

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
std::string ask(const Address& address, const std::string& line, const std::string& rest) {
  const int fd = connect_to(address);
  const std::string request =
      line + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n" + rest + "\r\n";
  EXPECT_EQ(send(fd, request.data(), request.size(), 0), static_cast<ssize_t>(request.size()));
  std::string answer;
  char buffer[4096];
  for (ssize_t n = 0; (n = recv(fd, buffer, sizeof buffer, 0)) > 0;) {
    answer.append(buffer, static_cast<std::size_t>(n));
  }
  close(fd);
  return answer;
}

std::string get(const Address& address, const std::string& path) {
  return ask(address, "GET " + path, "");
}

HostStatus some_status() {
  HostStatus status;
  status.batch = 7;
  return status;
}

TEST(HttpEndpoint, AnswersStatusMetricsAndHealth) {
  const auto endpoint = HttpEndpoint::start({"127.0.0.1", 0}, {some_status, {}});
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

TEST(HttpEndpoint, AnswersUnavailableWhenBatchesDoNotClose) {
  std::string why;
  const auto endpoint = HttpEndpoint::start({"127.0.0.1", 0}, {some_status, [&] { return why; }});
  ASSERT_TRUE(endpoint.ok()) << endpoint.error().line();
  const Address address = (*endpoint)->address();
  EXPECT_THAT(get(address, "/healthz"), StartsWith("HTTP/1.1 200"));
  why = "the store has worked on one batch for 7 s";
  for (const char* path : {"/healthz", "/status", "/metrics"}) {
    EXPECT_THAT(get(address, path), StartsWith("HTTP/1.1 503")) << path;
    EXPECT_THAT(get(address, path), HasSubstr("\r\n\r\n" + why + "\n")) << path;
  }
}

TEST(HttpEndpoint, NeitherUnpacksNorSendsInParts) {
  const auto endpoint = HttpEndpoint::start({"127.0.0.1", 0}, {some_status, {}});
  ASSERT_TRUE(endpoint.ok());
  const Address address = (*endpoint)->address();
  EXPECT_THAT(ask(address, "POST /status", "Content-Encoding: gzip\r\nContent-Length: 9\r\n"),
              StartsWith("HTTP/1.1 405"));
  EXPECT_THAT(ask(address, "GET /status", "Range: bytes=0-,0-\r\n"), StartsWith("HTTP/1.1 416"));
  EXPECT_THAT(ask(address, "HEAD /healthz", ""), StartsWith("HTTP/1.1 200"));
}

TEST(HttpEndpoint, APortThatIsTakenIsAnError) {
  const auto first = HttpEndpoint::start({"127.0.0.1", 0}, {some_status, {}});
  ASSERT_TRUE(first.ok());
  const auto second = HttpEndpoint::start((*first)->address(), {some_status, {}});
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().kind, ErrorKind::network);
  EXPECT_THAT(second.error().line(), HasSubstr("server.http"));
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

TEST(HttpEndpoint, ConnectionsThatSayNothingDoNotKeepItFromEnding) {
  auto endpoint = HttpEndpoint::start({"127.0.0.1", 0}, {some_status, {}});
  ASSERT_TRUE(endpoint.ok());
  std::vector<int> idle;
  idle.reserve(40);
  for (int i = 0; i < 40; ++i) idle.push_back(connect_to((*endpoint)->address()));
  const auto start = std::chrono::steady_clock::now();
  (*endpoint).reset();
  EXPECT_LT(seconds_since(start), 4.0);  // they have five seconds each, if nobody stops
  for (const int fd : idle) close(fd);
}

TEST(HttpEndpoint, WhoSaysAByteNowAndThenIsNotWaitedForForEver) {
  const auto endpoint = HttpEndpoint::start({"127.0.0.1", 0}, {some_status, {}});
  ASSERT_TRUE(endpoint.ok());
  const auto start = std::chrono::steady_clock::now();
  std::atomic<bool> stop = false;
  std::vector<std::thread> slow;
  slow.reserve(40);
  for (int i = 0; i < 40; ++i) {  // more than are taken in at a time
    slow.emplace_back([&] {
      const int fd = connect_to((*endpoint)->address());
      while (!stop && send(fd, "G", 1, MSG_NOSIGNAL) == 1) {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
      }
      close(fd);
    });
  }
  EXPECT_THAT(get((*endpoint)->address(), "/healthz"), HasSubstr("ok"));
  EXPECT_LT(seconds_since(start), 10.0);
  stop = true;
  for (std::thread& thread : slow) thread.join();
}

TEST(HttpEndpoint, ARequestThatNeverEndsIsCutShort) {
  const auto endpoint = HttpEndpoint::start({"127.0.0.1", 0}, {some_status, {}});
  ASSERT_TRUE(endpoint.ok());
  const int fd = connect_to((*endpoint)->address());
  const std::string begin = "GET /status HTTP/1.1\r\n";
  send(fd, begin.data(), begin.size(), MSG_NOSIGNAL);
  const std::string header = "X-More: " + std::string(1000, 'x') + "\r\n";
  std::size_t sent = 0;
  while (sent < (64U << 20U)) {
    const ssize_t n = send(fd, header.data(), header.size(), MSG_NOSIGNAL);
    if (n <= 0) break;
    sent += static_cast<std::size_t>(n);
  }
  EXPECT_LT(sent, 64U << 20U);  // what the system's buffers hold, and no more
  close(fd);
}

}  // namespace
}  // namespace caucus::cli
