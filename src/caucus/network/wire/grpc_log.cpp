#include "caucus/network/wire/grpc_log.hpp"

#include <grpc/support/log.h>

#include <cstdlib>

namespace caucus::wire {

void silence_grpc() {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): at the start of a program
  if (std::getenv("GRPC_VERBOSITY") != nullptr || std::getenv("GRPC_TRACE") != nullptr) return;
  gpr_set_log_function([](gpr_log_func_args*) {});
}

}  // namespace caucus::wire
