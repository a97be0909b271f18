#include "caucus/network/wire/quiet.hpp"

#include <grpc/support/log.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace caucus::wire {

void quiet_grpc() {
  if (std::getenv("GRPC_VERBOSITY") != nullptr)
    return;  // NOLINT(concurrency-mt-unsafe): one thread
  gpr_set_log_function([](gpr_log_func_args* said) {
    // Before it aborts it says why; that must be seen.
    if (std::strstr(said->message, "assertion failed") == nullptr) return;
    std::fprintf(stderr, "%s:%d: %s\n", said->file, said->line, said->message);
  });
}

}  // namespace caucus::wire
