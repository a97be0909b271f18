// How a client's channel to its server is set up, and what its failures mean.
#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <string>

#include "caucus/credentials.hpp"
#include "caucus/federation/security/address.hpp"

namespace caucus::wire {

/// A connection of its own, which is tried once; without an authority there is no TLS.
std::shared_ptr<grpc::Channel> make_channel(const Address& server, const TlsTexts& tls);

/// Trying again will not make a false certificate true, nor a caucus server of another one.
bool is_hopeless(const grpc::Status& status);

/// How a stream ended, in words.
std::string text_of(const grpc::Status& status);

}  // namespace caucus::wire
