#include "http_endpoint.hpp"

#include <httplib.h>

#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "server_status.hpp"

namespace caucus::cli {
namespace {

constexpr std::size_t kThreads = 2;
constexpr std::size_t kConnections = 32;  // taken in at a time; others wait in the system's queue
constexpr time_t kSeconds = 5;            // for a client to say what it wants
constexpr std::size_t kLargestRequest = 4096;

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
  httplib::ThreadPool pool_{kThreads};
};

}  // namespace

struct HttpEndpoint::Parts {
  httplib::Server server;
  Address address;
  std::thread thread;
};

Result<std::unique_ptr<HttpEndpoint>> HttpEndpoint::start(
    const Address& listen, const std::function<HostStatus()>& status) {
  auto parts = std::make_unique<Parts>();
  httplib::Server& server = parts->server;
  server.new_task_queue = [] { return new BoundedQueue; };
  server.set_read_timeout(kSeconds).set_write_timeout(kSeconds);
  server.set_keep_alive_max_count(1).set_payload_max_length(kLargestRequest);
  server.set_socket_options([](int socket) {  // two servers on a port are a mistake
    const int yes = 1;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  server.Get("/status", [status](const httplib::Request&, httplib::Response& response) {
    response.set_content(json_text(status_json(status())) + "\n", "application/json");
  });
  server.Get("/metrics", [status](const httplib::Request&, httplib::Response& response) {
    response.set_content(metrics_text(status()), "text/plain; version=0.0.4; charset=utf-8");
  });
  server.Get("/healthz", [](const httplib::Request&, httplib::Response& response) {
    response.set_content("ok\n", "text/plain");
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
  parts_->server.stop();
  parts_->thread.join();
}

const Address& HttpEndpoint::address() const { return parts_->address; }

}  // namespace caucus::cli
