// A gRPC echo with messages of the size of a federation's: a server answers every message with one
// of a given size, at once or when all streams have sent theirs.
#pragma once

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "caucus/v1/federation.pb.h"

namespace caucus::bench {

/// Answers with `reply`. With a barrier it waits for a message from every stream.
class EchoServer {
 public:
  EchoServer(std::size_t streams, bool barrier, v1::ServerMessage reply,
             std::shared_ptr<grpc::ServerCredentials> credentials);
  EchoServer(const EchoServer&) = delete;
  EchoServer& operator=(const EchoServer&) = delete;
  EchoServer(EchoServer&&) = delete;
  EchoServer& operator=(EchoServer&&) = delete;
  ~EchoServer();
  [[nodiscard]] int port() const { return port_; }

 private:
  class Service;
  int port_ = 0;
  std::unique_ptr<Service> service_;
  std::unique_ptr<grpc::Server> server_;
};

/// Sends `message` on each stream as soon as the answer to the last one arrives, for the given
/// time. Returns the seconds between answers of all streams.
std::vector<double> echo(const std::string& address, std::size_t streams,
                         const v1::ClientMessage& message, std::chrono::duration<double> seconds,
                         const std::shared_ptr<grpc::ChannelCredentials>& credentials);

}  // namespace caucus::bench
