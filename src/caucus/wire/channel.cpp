#include "caucus/wire/channel.hpp"

#include "caucus/engine/participant/message_size.hpp"

namespace caucus::wire {
namespace {

constexpr int kKeepaliveTime = 15'000;     // milliseconds
constexpr int kKeepaliveTimeout = 10'000;  // milliseconds
constexpr int kLongestBackoff = 1'000;     // milliseconds between two attempts

std::shared_ptr<grpc::ChannelCredentials> channel_credentials(const TlsTexts& tls) {
  if (tls.ca.empty()) return grpc::InsecureChannelCredentials();
  grpc::SslCredentialsOptions options;
  options.pem_root_certs = tls.ca;
  options.pem_private_key = tls.key;
  options.pem_cert_chain = tls.cert;
  return grpc::SslCredentials(options);
}

}  // namespace

std::shared_ptr<grpc::Channel> make_channel(const Address& server, const TlsTexts& tls) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(static_cast<int>(kMostAssignmentBytes));
  arguments.SetInt(GRPC_COMPRESSION_CHANNEL_ENABLED_ALGORITHMS_BITSET,
                   1 << GRPC_COMPRESS_NONE);  // a compressed message could unpack to any size
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepaliveTime);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kKeepaliveTimeout);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, kLongestBackoff);
  // The user of the channel decides when to try again, and sees every failure.
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);
  arguments.SetInt(GRPC_ARG_SERVICE_CONFIG_DISABLE_RESOLUTION, 1);
  // Otherwise clients of one process would share a connection and its backoff.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  if (server.is_loopback()) arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  return grpc::CreateCustomChannel(server.text(), channel_credentials(tls), arguments);
}

bool is_hopeless(const grpc::Status& status) {
  if (status.error_code() == grpc::StatusCode::UNIMPLEMENTED) return true;
  // gRPC has no code for these. If its texts change, the client's patience ends the attempts.
  for (const char* words : {"certificate verify failed", "CERTIFICATE_VERIFY_FAILED",
                            "is not in peer certificate", "Hostname Verification Check failed"}) {
    if (status.error_message().find(words) != std::string::npos) return true;
  }
  return false;
}

std::string text_of(const grpc::Status& status) {
  if (!status.ok()) return status.error_message();
  return "the server has ended the stream";
}

}  // namespace caucus::wire
