#include "caucus/wire/grpc_log.hpp"

#include <grpc/support/log.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace caucus::wire {

void silence_grpc() {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): at the start of a program
  if (std::getenv("GRPC_VERBOSITY") != nullptr || std::getenv("GRPC_TRACE") != nullptr) return;
  gpr_set_log_function([](gpr_log_func_args* said) {
    // A message before an abort is the only trace of it.
    const std::string_view message = said->message;
    if (message.find("assertion failed") == std::string_view::npos) return;
    std::fprintf(stderr, "gRPC: %s:%d: %s\n", said->file, said->line, said->message);
  });
}

}  // namespace caucus::wire
