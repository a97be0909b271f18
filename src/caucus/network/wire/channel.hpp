// How a client's channel to its server is set up.
#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>

#include "caucus/network/address.hpp"
#include "caucus/network/tls_files.hpp"

namespace caucus::wire {

/// A connection of its own, which is tried once; without an authority there is no TLS.
std::shared_ptr<grpc::Channel> make_channel(const Address& server, const TlsTexts& tls);

}  // namespace caucus::wire
