// Names and addresses of hosts, as a certificate has them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "caucus/core/base/result.hpp"

namespace caucus {

/// The 4 or 16 bytes of an IP address, nothing if the text is none.
std::optional<std::vector<unsigned char>> address_bytes(const std::string& host);

/// A name of the DNS, also *.NAME, or an IP address; `where` is named in the error.
Status check_host(const std::string& host, const std::string& where);

}  // namespace caucus
