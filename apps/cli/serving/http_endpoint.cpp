#include "serving/http_endpoint.hpp"

#include <httplib.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "serving/server_status.hpp"

namespace caucus::cli {
namespace {

using Clock = std::chrono::steady_clock;

// The most connections at a time, each with a thread; others wait in the system's queue.
constexpr std::size_t kConnections = 32;
constexpr std::chrono::seconds kRequestTimeout(5);  // for a request and its answer
constexpr std::size_t kLargestRequest = 16'384;

/// A connection with a deadline and a limit of bytes, so that neither a slow client nor one that
/// never stops sending can hold it.
class HttpStream final : public httplib::Stream {
 public:
  HttpStream(int socket, const std::atomic<bool>& stopping)
      : socket_(socket), stopping_(stopping) {}

  [[nodiscard]] bool is_readable() const override { return next_ < end_ || wait(POLLIN); }
  [[nodiscard]] bool is_writable() const override { return wait(POLLOUT); }
  ssize_t read(char* into, std::size_t size) override {
    if (next_ == end_) {
      if (left_ == 0 || !wait(POLLIN)) return -1;
      const ssize_t got = recv(socket_, buffer_.data(), std::min(buffer_.size(), left_), 0);
      if (got <= 0) return got;
      next_ = 0;
      end_ = static_cast<std::size_t>(got);
      left_ -= end_;
    }
    const std::size_t given = std::min(size, end_ - next_);
    std::copy_n(buffer_.data() + next_, given, into);
    next_ += given;
    return static_cast<ssize_t>(given);
  }
  ssize_t write(const char* from, std::size_t size) override {
    if (!wait(POLLOUT)) return -1;
    return send(socket_, from, size, MSG_NOSIGNAL | MSG_DONTWAIT);
  }
  void get_remote_ip_and_port(std::string&, int&) const override {}  // nothing calls it
  void get_local_ip_and_port(std::string&, int&) const override {}
  [[nodiscard]] socket_t socket() const override { return socket_; }

 private:
  /// Returns false if it is too late.
  [[nodiscard]] bool wait(short events) const {
    using std::chrono::milliseconds;
    constexpr milliseconds kSlice(50);  // between two checks whether the server stops
    while (!stopping_) {
      const auto left = std::chrono::ceil<milliseconds>(deadline_ - Clock::now());
      if (left.count() <= 0) return false;
      pollfd one{socket_, events, 0};
      if (poll(&one, 1, static_cast<int>(std::min(left, kSlice).count())) > 0) return true;
    }
    return false;
  }

  const int socket_;
  const Clock::time_point deadline_ = Clock::now() + kRequestTimeout;
  std::size_t left_ = kLargestRequest;
  const std::atomic<bool>& stopping_;
  std::array<char, 4096> buffer_{};  ///< httplib reads byte by byte
  std::size_t next_ = 0, end_ = 0;
};

/// httplib's thread pool with a bounded queue.
class BoundedQueue : public httplib::TaskQueue {
 public:
  void enqueue(std::function<void()> work) override {
    std::unique_lock lock(mutex_);
    left_.wait(lock, [&] { return inside_ < kConnections; });
    ++inside_;
    lock.unlock();
    pool_.enqueue([this, work = std::move(work)] {
      work();
      const std::lock_guard guard(mutex_);
      --inside_;
      left_.notify_one();
    });
  }
  void shutdown() override { pool_.shutdown(); }

 private:
  std::mutex mutex_;
  std::condition_variable left_;
  std::size_t inside_ = 0;
  httplib::ThreadPool pool_{kConnections};
};

/// httplib's server with a time limit for each connection; httplib has one only for each read.
class TimedServer final : public httplib::Server {
 public:
  void stop_at_once() {
    stopping_ = true;
    stop();
  }

 private:
  bool process_and_close_socket(socket_t socket) override {
    HttpStream stream(socket, stopping_);
    bool closed = false;
    const bool answered = process_request(stream, true, closed, nullptr);
    shutdown(socket, SHUT_RDWR);
    close(socket);
    return answered;
  }

  std::atomic<bool> stopping_ = false;
};

}  // namespace

struct HttpEndpoint::Parts {
  TimedServer server;
  Address address;
  std::thread thread;
};

Result<std::unique_ptr<HttpEndpoint>> HttpEndpoint::start(const Address& listen,
                                                          const StatusSources& sources) {
  auto parts = std::make_unique<Parts>();
  TimedServer& server = parts->server;
  server.new_task_queue = [] { return new BoundedQueue; };
  server.set_payload_max_length(kLargestRequest);
  // Bodies, which may be compressed, and ranges, which may overlap, are refused: with them a small
  // request could take any amount of memory.
  server.set_pre_routing_handler([](const httplib::Request& request, httplib::Response& response) {
    const bool plain = request.method == "GET" || request.method == "HEAD";
    if (plain && request.ranges.empty()) return httplib::Server::HandlerResponse::Unhandled;
    response.status = plain ? 416 : 405;
    return httplib::Server::HandlerResponse::Handled;
  });
  server.set_socket_options([](int socket) {  // without SO_REUSEPORT: a second server must fail
    const int yes = 1;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  const auto answer = [&server, trouble = sources.trouble](const char* path, const char* type,
                                                           auto text) {
    server.Get(path, [=](const httplib::Request&, httplib::Response& response) {
      // Asked first, since text() would wait for a stuck host.
      const std::string why = trouble ? trouble() : std::string();
      if (!why.empty()) response.status = 503;
      response.set_content(why.empty() ? text() : why + "\n", why.empty() ? type : "text/plain");
    });
  };
  const auto status = sources.status;
  answer("/status", "application/json",
         [=] { return report::json_text(status_json(status())) + "\n"; });
  answer("/metrics", "text/plain; version=0.0.4; charset=utf-8",
         [=] { return metrics_text(status()); });
  answer("/healthz", "text/plain", [] { return std::string("ok\n"); });

  const int port = listen.port == 0 ? server.bind_to_any_port(listen.host)
                   : server.bind_to_port(listen.host, listen.port) ? listen.port
                                                                   : -1;
  if (port <= 0) {
    return network_error("server.http", "'" + listen.text() + "' cannot be listened on",
                         "expected a free port of this machine");
  }
  parts->address = {listen.host, static_cast<std::uint16_t>(port)};
  parts->thread = std::thread([&server] { server.listen_after_bind(); });
  while (!server.is_running()) std::this_thread::yield();  // before that, stop() would do nothing
  return std::unique_ptr<HttpEndpoint>(new HttpEndpoint(std::move(parts)));
}

HttpEndpoint::HttpEndpoint(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

HttpEndpoint::~HttpEndpoint() {
  parts_->server.stop_at_once();
  parts_->thread.join();
}

const Address& HttpEndpoint::address() const { return parts_->address; }

}  // namespace caucus::cli
