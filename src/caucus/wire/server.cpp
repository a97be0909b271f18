#include "caucus/wire/server.hpp"

#include <grpcpp/grpcpp.h>
#include <grpcpp/resource_quota.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "caucus/engine/participant/message_size.hpp"
#include "caucus/federation/hosting/log.hpp"
#include "caucus/v1/federation.grpc.pb.h"
#include "caucus/wire/session.hpp"
#include "caucus/wire/status_session.hpp"

namespace caucus::wire {
namespace {

constexpr std::size_t kRefusalsPerSecond = 10;  // lines in the log
// Pending streams beyond one for each client. Each may hold a message, and together they hold no
// more than kPendingBytes if that leaves a few of them.
constexpr std::size_t kFewPending = 4;
constexpr std::size_t kManyPending = 64;
constexpr std::size_t kPendingBytes = 64U << 20U;
constexpr int kStreams = 16;  // the most streams of a connection
constexpr std::size_t kMemory = 256U << 20U;
constexpr std::chrono::milliseconds kTimeoutCheck(100);

/// Makes a session of every stream, bounds the number of those without a Hello and times them out.
class Service final : public v1::Federation::CallbackService {
 public:
  Service(Host& host, ServerOptions options)
      : shared_(std::make_shared<const SessionContext>(SessionContext{&host, std::move(options)})),
        timeout_thread_([this] { check_timeouts(); }) {}
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;
  Service(Service&&) = delete;
  Service& operator=(Service&&) = delete;
  ~Service() override {
    {
      const std::lock_guard lock(mutex_);
      closing_ = true;
    }
    changed_.notify_all();
    timeout_thread_.join();
  }

  grpc::ServerBidiReactor<v1::ClientMessage, v1::ServerMessage>* Join(
      grpc::CallbackServerContext* context) override {
    return start(std::make_shared<Session>(context, shared_));
  }

  grpc::ServerBidiReactor<v1::StatusRequest, v1::StatusReply>* Status(
      grpc::CallbackServerContext* context) override {
    return start(std::make_shared<StatusSession>(context, shared_));
  }

 private:
  template <class Stream>
  Stream* start(const std::shared_ptr<Stream>& stream) {
    stream->start();
    // A client sends its Hello at once, so the oldest pending stream is the least likely client.
    if (const auto oldest = add(stream)) oldest->evict();
    return stream.get();
  }

  /// Returns a stream to evict if there are too many.
  std::shared_ptr<PendingStream> add(const std::shared_ptr<PendingStream>& stream) {
    const std::lock_guard lock(mutex_);
    std::erase_if(pending_, [](const std::weak_ptr<PendingStream>& one) {
      const auto other = one.lock();
      return other == nullptr || !other->is_pending();
    });
    std::shared_ptr<PendingStream> oldest;
    if (pending_.size() >= shared_->options.pending_streams) {
      oldest = pending_.front().lock();
      pending_.pop_front();
    }
    pending_.push_back(stream);
    if (all_.empty()) changed_.notify_all();
    all_.push_back(stream);
    return oldest;
  }

  void check_timeouts() {
    const auto limit = shared_->options.hello_within;
    std::unique_lock lock(mutex_);
    while (!closing_) {
      std::vector<std::shared_ptr<PendingStream>> streams;
      std::erase_if(all_, [&](const std::weak_ptr<PendingStream>& one) {
        auto stream = one.lock();
        const bool gone = stream == nullptr;
        if (!gone) streams.push_back(std::move(stream));
        return gone;
      });
      lock.unlock();
      for (const auto& stream : streams) stream->check_timeout(limit);
      streams.clear();
      lock.lock();
      if (all_.empty()) changed_.wait(lock, [&] { return closing_ || !all_.empty(); });
      changed_.wait_for(lock, std::min(limit / 8, kTimeoutCheck), [&] { return closing_; });
    }
  }

  const std::shared_ptr<const SessionContext> shared_;

  std::mutex mutex_;  // guards everything below
  std::condition_variable changed_;
  std::vector<std::weak_ptr<PendingStream>> all_;     ///< some may be gone
  std::deque<std::weak_ptr<PendingStream>> pending_;  ///< the oldest first
  bool closing_ = false;
  std::thread timeout_thread_;
};

std::shared_ptr<grpc::ServerCredentials> server_credentials(const std::optional<ServerKeys>& keys) {
  if (!keys) return grpc::InsecureServerCredentials();
  grpc::SslServerCredentialsOptions options(
      keys->client_authority.empty() ? GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE
                                     : GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  options.pem_root_certs = keys->client_authority;
  options.pem_key_cert_pairs.push_back({keys->key, keys->certificate});
  return grpc::SslServerCredentials(options);
}

/// Sets the limits that follow from the plan. Returns the memory that gRPC may take.
std::size_t complete(ServerOptions& options, const Host& host) {
  return host.look([&](const Federation& federation) {
    const SharedPlan& plan = federation.settings().plan;
    const std::size_t clients = federation.members().size();
    if (options.largest_report == 0) {
      const bool known = plan.features + plan.experts > 0;
      options.largest_report =
          known ? largest_report(plan, federation.settings().problem.resolved_sample_size())
                : kMostReportBytesOfAnyShape;
    }
    if (!options.status) options.status = [](const HostStatus&) { return std::string(); };
    if (options.pending_streams == 0) {
      options.pending_streams =
          clients + std::clamp(kPendingBytes / options.largest_report, kFewPending, kManyPending);
    }
    // For each client gRPC may hold a received message, an assignment and the connection's data.
    return kMemory + 4 * clients * options.largest_report;
  });
}

void set_limits(grpc::ServerBuilder& builder, const ServerOptions& options, std::size_t memory) {
  builder.SetMaxReceiveMessageSize(static_cast<int>(options.largest_report));
  // A compressed message could take any memory when it is unpacked.
  builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_GZIP, false);
  builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_DEFLATE, false);
  grpc::ResourceQuota quota("caucus");
  quota.Resize(memory);
  builder.SetResourceQuota(quota);
  const auto in_time = static_cast<int>(options.hello_within.count());
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);  // a second server on a port must fail
  builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, in_time);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_IDLE_MS, 4 * in_time);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, kStreams);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, 20'000);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10'000);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 5'000);
}

}  // namespace

Result<std::unique_ptr<Server>> Server::start(Host& host, ServerOptions options) {
  const Address listen = options.listen;
  grpc::ServerBuilder builder;
  const std::size_t memory = complete(options, host);
  set_limits(builder, options, memory);
  int port = 0;
  builder.AddListeningPort(listen.text(), server_credentials(options.keys), &port);
  if (options.keys) options.keys->key.clear();  // gRPC has it now
  options.log = limited(options.log, kRefusalsPerSecond);
  std::unique_ptr<Server> server(new Server);
  server->service_ = std::make_unique<Service>(host, std::move(options));
  builder.RegisterService(server->service_.get());
  server->server_ = builder.BuildAndStart();
  if (server->server_ == nullptr || port == 0) {
    return network_error(listen.text(), "cannot be listened on",
                         "expected an address of this machine and a free port");
  }
  server->address_ = {listen.host, static_cast<std::uint16_t>(port)};
  return server;
}

Server::Server() = default;

Server::~Server() { shut_down(std::chrono::milliseconds(0)); }

void Server::shut_down(std::chrono::milliseconds grace) {
  if (server_) server_->Shutdown(std::chrono::system_clock::now() + grace);
}

}  // namespace caucus::wire
