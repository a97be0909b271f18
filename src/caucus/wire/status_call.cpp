#include "caucus/wire/status_call.hpp"

#include "caucus/v1/federation.grpc.pb.h"
#include "caucus/wire/channel.hpp"

namespace caucus::wire {

Result<std::string> ask_status(const StatusQuestion& question) {
  const auto stub = v1::Federation::NewStub(make_channel(question.server, question.keys));
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + question.within);
  v1::StatusRequest request;
  request.set_client(question.client);
  request.set_token(question.token);
  v1::StatusReply reply;
  const auto stream = stub->Status(&context);
  stream->WriteLast(request, {});
  const bool answered = stream->Read(&reply);
  grpc::Status status = stream->Finish();
  if (status.ok() && !answered) status = {grpc::StatusCode::INTERNAL, "no answer"};
  if (status.error_code() == grpc::StatusCode::PERMISSION_DENIED) {
    return network_error(question.server.text(), "gives no status", status.error_message());
  }
  if (!status.ok()) {
    return network_error(question.server.text(), "does not answer: " + status.error_message(),
                         kExpectedServer);
  }
  return reply.json();
}

}  // namespace caucus::wire
