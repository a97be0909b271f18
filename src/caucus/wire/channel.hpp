// A client's channel to its server, and what its failures mean.
#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>

#include "caucus/credentials.hpp"
#include "caucus/federation/security/address.hpp"

namespace caucus::wire {

/// Makes a channel with a connection of its own. Without an authority there is no TLS.
std::shared_ptr<grpc::Channel> make_channel(const Address& server, const TlsTexts& tls);

inline constexpr const char* kExpectedServer =
    "expected a caucus server there, with TLS as it is asked for";

/// Returns whether it is useless to retry: the certificate is wrong, or this is no caucus server.
bool is_hopeless(const grpc::Status& status);

/// Tells how a stream ended.
std::string text_of(const grpc::Status& status);

}  // namespace caucus::wire
