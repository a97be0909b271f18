#include "caucus/network/wire/quiet.hpp"

#include <grpc/support/log.h>

#include <cstdlib>

namespace caucus::wire {

void quiet_grpc() {
  if (std::getenv("GRPC_VERBOSITY") != nullptr) return;  // NOLINT(concurrency-mt-unsafe): one thread
  gpr_set_log_function([](gpr_log_func_args*) {});
}

}  // namespace caucus::wire
