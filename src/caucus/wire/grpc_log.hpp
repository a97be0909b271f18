// gRPC's own messages on standard error.
#pragma once

namespace caucus::wire {

/// Silences gRPC for the whole process unless GRPC_VERBOSITY or GRPC_TRACE is set. Programs
/// call this, libraries do not: the results of gRPC's calls contain the errors too.
void silence_grpc();

}  // namespace caucus::wire
