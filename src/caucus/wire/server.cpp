#include "caucus/wire/server.hpp"

#include "caucus/federation/log.hpp"

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "caucus/federation/message_size.hpp"
#include "caucus/v1/federation.grpc.pb.h"
#include "caucus/wire/connections.hpp"
#include "caucus/wire/no_such_call.hpp"
#include "caucus/wire/session.hpp"
#include "caucus/wire/status_session.hpp"

namespace caucus::wire {
namespace {

constexpr std::size_t kRefusalsPerSecond = 10;  // in the log
// Streams of strangers beyond one for each client, each of which may hold most of a message: no
// more than these bytes in all, if that leaves a few.
constexpr std::size_t kFewStrangers = 4;
constexpr std::size_t kManyStrangers = 64;
constexpr std::size_t kForStrangers = 64U << 20U;
constexpr int kStreams = 16;                   // of a connection, as gRPC is told to allow
constexpr std::size_t kStreamsAtOnce = 32;     // while some are ending
constexpr std::size_t kSpareConnections = 32;  // beyond two for each client: an old one may linger
// Bytes that are read before the gate is asked: of the smallest requests they are 550 streams, 11
// MB.
constexpr int kReadAtOnce = 8192;

/// Takes streams in, as many as are allowed, and shows those the door who do not say who they are
/// or do not go when they should.
class Service final : public v1::Federation::CallbackService {
 public:
  Service(Doorway doorway, Connections& connections, std::size_t strangers,
          const ServerOptions& options)
      : doorway_(std::move(doorway)),
        connections_(&connections),
        most_strangers_(strangers),
        hello_within_(options.hello_within),
        pause_(std::max(std::min(options.hello_within / 8, options.rest_at_most),
                        std::chrono::milliseconds(5))),
        status_(options.status),
        usher_([this] { hurry_all(); }) {}
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
    usher_.join();
  }

  grpc::ServerBidiReactor<v1::ClientMessage, v1::ServerMessage>* Join(
      grpc::CallbackServerContext* context) override {
    return take_in(std::make_shared<Session>(context, connections_->take_in(*context), doorway_));
  }

  grpc::ServerBidiReactor<v1::StatusRequest, v1::StatusReply>* Status(
      grpc::CallbackServerContext* context) override {
    return take_in(std::make_shared<StatusSession>(context, connections_->take_in(*context),
                                                   doorway_.tokens, status_));
  }

 private:
  template <class Stream>
  Stream* take_in(const std::shared_ptr<Stream>& stream) {
    stream->begin();
    // Whoever is a client says so at once: the oldest stranger is the least likely to be one.
    if (const auto oldest = note(stream)) oldest->turn_out();
    return stream.get();
  }

  /// Gives back one that has to go, if there are too many.
  std::shared_ptr<Visitor> note(const std::shared_ptr<Visitor>& visitor) {
    const std::lock_guard lock(mutex_);
    std::erase_if(strangers_, [](const std::weak_ptr<Visitor>& one) {
      const auto stranger = one.lock();
      return stranger == nullptr || stranger->is_known();
    });
    std::shared_ptr<Visitor> oldest;
    if (strangers_.size() >= most_strangers_) {
      oldest = strangers_.front().lock();
      strangers_.pop_front();
    }
    strangers_.push_back(visitor);
    if (visitors_.empty()) changed_.notify_all();
    visitors_.push_back(visitor);
    return oldest;
  }

  void hurry_all() {
    std::unique_lock lock(mutex_);
    while (!closing_) {
      if (visitors_.empty()) {
        changed_.wait(lock);
        continue;
      }
      std::vector<std::shared_ptr<Visitor>> there;
      std::erase_if(visitors_, [&](const std::weak_ptr<Visitor>& one) {
        const auto visitor = one.lock();
        if (visitor != nullptr) there.push_back(visitor);
        return visitor == nullptr;
      });
      lock.unlock();
      for (const auto& visitor : there) visitor->hurry(hello_within_);
      there.clear();
      lock.lock();
      changed_.wait_for(lock, pause_, [&] { return closing_; });
    }
  }

  const Doorway doorway_;
  Connections* const connections_;
  const std::size_t most_strangers_;
  const std::chrono::milliseconds hello_within_, pause_;
  const std::function<std::string()> status_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::weak_ptr<Visitor>> visitors_;  ///< all, and some that are not there any more
  std::deque<std::weak_ptr<Visitor>> strangers_;  ///< in the order of their coming
  bool closing_ = false;
  std::thread usher_;
};

std::shared_ptr<grpc::ServerCredentials> credentials(const std::optional<ServerKeys>& keys) {
  // Without TLS. gRPC would ask no gate for plain ones, unless they stand in for what a service
  // mesh provides, which here is nothing.
  if (!keys) return grpc::XdsServerCredentials(grpc::InsecureServerCredentials());
  grpc::SslServerCredentialsOptions options(
      keys->client_authority.empty() ? GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE
                                     : GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  options.pem_root_certs = keys->client_authority;
  options.pem_key_cert_pairs.push_back({keys->key, keys->certificate});
  return grpc::SslServerCredentials(options);
}

}  // namespace

struct Server::Parts {
  std::optional<TokenFile> tokens;
  std::unique_ptr<Connections> connections;
  std::unique_ptr<Service> service;
  std::unique_ptr<NoSuchService> no_such_service;
  std::unique_ptr<grpc::Server> server;
};

Result<std::unique_ptr<Server>> Server::start(Host& host, ServerOptions options) {
  auto parts = std::make_unique<Parts>();
  CAUCUS_TRY(Listener listener, Listener::on(options.listen));
  const std::size_t clients = host.look([](const Federation& f) { return f.members().size(); });
  std::size_t largest = options.largest_report;
  if (largest == 0) {
    largest = host.look([](const Federation& f) {
      const SharedPlan& plan = f.settings().plan;
      const bool known = plan.features + plan.experts > 0;
      return known ? largest_report(plan, f.settings().problem.sampled())
                   : kMostReportBytesOfAnyShape;
    });
  }
  std::size_t strangers = options.strangers;
  if (strangers == 0) {
    strangers = clients + std::clamp(kForStrangers / largest, kFewStrangers, kManyStrangers);
  }
  parts->tokens = std::move(options.tokens);
  Doorway doorway{&host, parts->tokens ? &*parts->tokens : nullptr,
                  options.keys && !options.keys->client_authority.empty(),
                  limited(options.log, kRefusalsPerSecond)};
  parts->connections = std::make_unique<Connections>(
      std::move(listener),
      ConnectionLimits{2 * clients + kSpareConnections, kStreamsAtOnce, options.strangers_bytes},
      doorway.log);
  parts->service =
      std::make_unique<Service>(std::move(doorway), *parts->connections, strangers, options);
  parts->no_such_service = std::make_unique<NoSuchService>(*parts->connections);
  grpc::ServerBuilder builder;
  using Builder = grpc::ServerBuilder::experimental_type;
  const auto keys = credentials(options.keys);
  keys->SetAuthMetadataProcessor(parts->connections->gate());
  auto acceptor = builder.experimental().AddExternalConnectionAcceptor(
      Builder::ExternalConnectionType::FROM_FD, keys);
  builder.RegisterService(parts->service.get());
  builder.RegisterCallbackGenericService(parts->no_such_service.get());
  builder.SetMaxReceiveMessageSize(static_cast<int>(largest));
  // A packed message has its size only once it is unpacked, which could take any memory.
  builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_GZIP, false);
  builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_DEFLATE, false);
  // A connection must become one in time, carries few streams, ends soon if it carries none, and is
  // asked now and then whether it is still there.
  const auto in_time = static_cast<int>(options.hello_within.count());
  builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, in_time);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_IDLE_MS, 4 * in_time);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, kStreams);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, 20'000);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10'000);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 5'000);
  builder.AddChannelArgument(GRPC_ARG_TCP_READ_CHUNK_SIZE, kReadAtOnce);
  builder.AddChannelArgument(GRPC_ARG_TCP_MAX_READ_CHUNK_SIZE, kReadAtOnce);
  parts->server = builder.BuildAndStart();
  if (parts->server == nullptr) {
    return network_error(options.listen.text(), "gRPC does not start",
                         "expected, with TLS, a key that fits its certificate");
  }
  CAUCUS_CHECK(parts->connections->open(std::move(acceptor)));
  return std::unique_ptr<Server>(new Server(std::move(parts)));
}

Server::Server(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

Server::~Server() { shut_down(std::chrono::milliseconds(0)); }

const Address& Server::address() const { return parts_->connections->address(); }

void Server::shut_down(std::chrono::milliseconds grace) {
  parts_->connections->close(grace);
  parts_->server->Shutdown(std::chrono::system_clock::now() + grace);
}

}  // namespace caucus::wire
