// gRPC's own lines on standard error.
#pragma once

namespace caucus::wire {

/// For programs whose errors are one line each: gRPC says no more, unless GRPC_VERBOSITY or
/// GRPC_TRACE asks it to. What went wrong is in the results of its calls too.
void silence_grpc();

}  // namespace caucus::wire
