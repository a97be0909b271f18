#include "caucus/federation/security/openssl.hpp"

#include <openssl/err.h>

namespace caucus {

Error openssl_error(const std::string& what) {
  const char* reason = ERR_reason_error_string(ERR_peek_error());
  Error error{ErrorKind::internal, "OpenSSL",
              what + (reason == nullptr ? "" : " (" + std::string(reason) + ")"), ""};
  ERR_clear_error();
  return error;
}

}  // namespace caucus
