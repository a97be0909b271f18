// gRPC's own log.
#pragma once

namespace caucus::wire {

/// gRPC writes to standard error what a stranger's broken handshake or a busy port gave it cause for.
/// A program whose errors and logs have a form of their own turns it off, before it uses gRPC; the
/// environment variable GRPC_VERBOSITY leaves it on.
void quiet_grpc();

}  // namespace caucus::wire
