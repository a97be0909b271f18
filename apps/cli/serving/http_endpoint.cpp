#include "serving/http_endpoint.hpp"

#include <httplib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "serving/http_stream.hpp"
#include "serving/server_status.hpp"

namespace caucus::cli {
namespace {

// Taken in at a time, each on a thread that mostly waits; others wait in the system's queue.
constexpr std::size_t kConnections = 32;
constexpr std::chrono::seconds kTime(5);  // for a client to say what it wants and hear the answer
constexpr std::size_t kLargestRequest = 16'384;

/// httplib's threads, with a bound on what waits for them.
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

/// httplib's server, whose time limits are per read, with one per connection.
class TimedServer final : public httplib::Server {
 public:
  void stop_at_once() {
    stopping_ = true;
    stop();
  }

 private:
  bool process_and_close_socket(socket_t socket) override {
    HttpStream stream(socket, std::chrono::steady_clock::now() + kTime, kLargestRequest, stopping_);
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
  // Nothing here takes a body, which may be packed, or is worth sending in parts, which may
  // overlap: a small request could ask for any memory.
  server.set_pre_routing_handler([](const httplib::Request& request, httplib::Response& response) {
    const bool plain = request.method == "GET" || request.method == "HEAD";
    if (plain && request.ranges.empty()) return httplib::Server::HandlerResponse::Unhandled;
    response.status = plain ? 416 : 405;
    return httplib::Server::HandlerResponse::Handled;
  });
  server.set_socket_options([](int socket) {  // two servers on a port are a mistake
    const int yes = 1;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  // A host that is stuck would not answer.
  const auto answer_trouble = [trouble = sources.trouble](httplib::Response& response) {
    const std::string why = trouble ? trouble() : std::string();
    if (why.empty()) return false;
    response.status = 503;
    response.set_content(why + "\n", "text/plain");
    return true;
  };
  const auto status = sources.status;
  server.Get("/status", [=](const httplib::Request&, httplib::Response& response) {
    if (answer_trouble(response)) return;
    response.set_content(report::json_text(status_json(status())) + "\n", "application/json");
  });
  server.Get("/metrics", [=](const httplib::Request&, httplib::Response& response) {
    if (answer_trouble(response)) return;
    response.set_content(metrics_text(status()), "text/plain; version=0.0.4; charset=utf-8");
  });
  server.Get("/healthz", [=](const httplib::Request&, httplib::Response& response) {
    if (!answer_trouble(response)) response.set_content("ok\n", "text/plain");
  });

  const int port = listen.port == 0 ? server.bind_to_any_port(listen.host)
                   : server.bind_to_port(listen.host, listen.port) ? listen.port
                                                                   : -1;
  if (port <= 0) {
    return network_error("server.http", "'" + listen.text() + "' cannot be listened on",
                         "expected a free port of this machine");
  }
  parts->address = {listen.host, static_cast<std::uint16_t>(port)};
  parts->thread = std::thread([&server] { server.listen_after_bind(); });
  while (!server.is_running()) std::this_thread::yield();  // else stop() would do nothing
  return std::unique_ptr<HttpEndpoint>(new HttpEndpoint(std::move(parts)));
}

HttpEndpoint::HttpEndpoint(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

HttpEndpoint::~HttpEndpoint() {
  parts_->server.stop_at_once();
  parts_->thread.join();
}

const Address& HttpEndpoint::address() const { return parts_->address; }

}  // namespace caucus::cli
