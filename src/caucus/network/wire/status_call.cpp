#include "caucus/network/wire/status_call.hpp"

#include <grpcpp/grpcpp.h>

#include <memory>

#include "caucus/v1/federation.grpc.pb.h"

namespace caucus::wire {
namespace {

constexpr int kLargestReply = 64 << 20;

std::shared_ptr<grpc::ChannelCredentials> credentials(const TlsTexts& keys) {
  if (keys.ca.empty() && keys.cert.empty()) return grpc::InsecureChannelCredentials();
  return grpc::SslCredentials({keys.ca, keys.key, keys.cert});
}

}  // namespace

Result<std::string> ask_status(const StatusQuestion& question) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(kLargestReply);
  const auto channel =
      grpc::CreateCustomChannel(question.server.text(), credentials(question.keys), arguments);
  const auto stub = v1::Federation::NewStub(channel);
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + question.within);
  v1::StatusReply reply;
  const grpc::Status status = stub->Status(&context, {}, &reply);
  if (!status.ok()) {
    return network_error(question.server.text(), "does not answer: " + status.error_message(),
                         "expected a caucus server there, with TLS as it is asked for");
  }
  return reply.json();
}

}  // namespace caucus::wire
