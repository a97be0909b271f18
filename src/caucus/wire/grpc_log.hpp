// gRPC's own messages on standard error.
#pragma once

namespace caucus::wire {

/// Silences gRPC for the whole process unless GRPC_VERBOSITY or GRPC_TRACE is set. For programs,
/// not for libraries: errors are in the results of gRPC's calls too.
void silence_grpc();

}  // namespace caucus::wire
