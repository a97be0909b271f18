// For tests: a server in this process, on a port of this machine, that can be killed and started
// again with what its store has.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "caucus/federation/test_federation.hpp"
#include "caucus/wire/codec.hpp"
#include "caucus/wire/connection.hpp"
#include "caucus/wire/server.hpp"

namespace caucus::wire {

/// What was logged, a line "event key=value ..." each.
class LogLines {
 public:
  [[nodiscard]] Log log() {
    return [this](LogLevel, std::string_view event, std::initializer_list<LogField> fields) {
      std::string line(event);
      for (const LogField& field : fields) line += " " + std::string(field.key) + "=" + field.value;
      const std::lock_guard lock(mutex_);
      lines_.push_back(std::move(line));
    };
  }
  [[nodiscard]] std::vector<std::string> beginning_with(std::string_view words) const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> found;
    for (const std::string& line : lines_) {
      if (line.starts_with(words)) found.push_back(line);
    }
    return found;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
};

class TestServer {
 public:
  explicit TestServer(FederationSettings settings, std::size_t commit_every = 1,
                      ServerOptions options = {})
      : settings_(std::move(settings)), options_(std::move(options)), commit_every_(commit_every) {
    static int count = 0;
    directory_ = std::filesystem::path(testing::TempDir()) /
                 ("wire-" + std::to_string(::getpid()) + "-" + std::to_string(count++));
    std::filesystem::create_directories(directory_);
    if (options_.listen.host.empty()) options_.listen = {"127.0.0.1", 0};
    start();
  }
  TestServer(const TestServer&) = delete;
  TestServer& operator=(const TestServer&) = delete;
  TestServer(TestServer&&) = delete;
  TestServer& operator=(TestServer&&) = delete;
  ~TestServer() {
    kill();
    std::filesystem::remove_all(directory_);
  }

  void start() {
    auto store = Store::open((directory_ / "run.db").string(), {commit_every_});
    ASSERT_TRUE(store.ok()) << store.error().line();
    auto host = Host::make(settings_, plan_bytes(settings_.plan), std::move(store).value(),
                           {5, options_.log});
    ASSERT_TRUE(host.ok()) << host.error().line();
    host_ = std::move(host).value();
    auto server = Server::start(*host_, options_);
    ASSERT_TRUE(server.ok()) << server.error().line();
    server_ = std::move(server).value();
    if (options_.listen.port == 0) options_.listen = server_->address();  // also when it comes back
  }
  /// What is not in the store is lost.
  void kill() {
    if (host_) host_->abandon();
    if (server_) server_->shut_down(std::chrono::milliseconds(0));
    server_.reset();
    host_.reset();
  }

  [[nodiscard]] Host& host() { return *host_; }
  [[nodiscard]] const Address& address() const { return options_.listen; }
  [[nodiscard]] Learned learned() const {
    return host_->look([](const Federation& f) { return learned_by(f); });
  }

 private:
  FederationSettings settings_;
  ServerOptions options_;
  std::size_t commit_every_;
  std::filesystem::path directory_;
  std::unique_ptr<Host> host_;
  std::unique_ptr<Server> server_;
};

/// A client that answers every assignment at once, on a connection of its own, with the truth or
/// with what `spoil` makes of it.
class WireClient {
 public:
  using Spoil = std::function<void(ReportRecord&)>;
  WireClient(TestClient client, ConnectionOptions options, Spoil spoil = {},
             std::function<void()> on_finished = {})
      : client_(std::move(client)), spoil_(std::move(spoil)) {
    options.hello.client = client_.hello().client;
    ConnectionEvents events;
    events.on_welcome = [this](const WelcomeRecord&) {
      connection_->ready(client_.ready());
      return Done{};
    };
    events.on_assignment = [this](const AssignmentRecord& assignment) {
      auto report = client_.play(assignment);
      if (report && spoil_) spoil_(*report);
      if (report) connection_->report(*report);
      return Done{};
    };
    events.on_state = [this](ConnectionState state, const std::string&) {
      const std::lock_guard lock(mutex_);
      states_.push_back(state);
    };
    events.on_finished = std::move(on_finished);
    events.on_end = [this](const Status& end) {
      const std::lock_guard lock(mutex_);
      end_ = end;
      changed_.notify_all();
    };
    connection_.emplace(std::move(options), std::move(events));
    connection_->start();
  }

  Status wait() {
    std::unique_lock lock(mutex_);
    if (changed_.wait_for(lock, std::chrono::seconds(60), [&] { return end_.has_value(); })) {
      return *end_;
    }
    return network_error("test", "no end in a minute");
  }
  [[nodiscard]] std::vector<ConnectionState> states() {
    const std::lock_guard lock(mutex_);
    return states_;
  }
  [[nodiscard]] Connection& connection() { return *connection_; }
  [[nodiscard]] TestClient& client() { return client_; }

 private:
  TestClient client_;
  const Spoil spoil_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<Status> end_;
  std::vector<ConnectionState> states_;
  std::optional<Connection> connection_;
};

}  // namespace caucus::wire
