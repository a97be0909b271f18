// Whether a client may connect: TLS is the rule, and only this machine is an exception by itself.
#pragma once

#include "caucus/core/base/result.hpp"
#include "caucus/federation/security/address.hpp"
#include "caucus/federation/security/tls_files.hpp"

namespace caucus {

/// Outside of this machine the server's authority must be known, unless all that is said may be
/// read and changed on its way (`insecure`).
Status check_security(const Address& server, const TlsTexts& tls, bool insecure);

}  // namespace caucus
