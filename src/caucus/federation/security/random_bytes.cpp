#include "caucus/federation/security/random_bytes.hpp"

#include <openssl/rand.h>

namespace caucus {

Result<RunId> random_run() {
  RunId run{};
  if (RAND_bytes(run.data(), static_cast<int>(run.size())) != 1) {
    return Error{ErrorKind::internal, "random numbers", "the system has none", {}};
  }
  return run;
}

}  // namespace caucus
