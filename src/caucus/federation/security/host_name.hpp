// Names and addresses of hosts in certificates.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "caucus/result.hpp"

namespace caucus {

/// Returns the 4 or 16 bytes of an IP address, or nothing if the text is not an address.
std::optional<std::vector<unsigned char>> address_bytes(const std::string& host);

/// Checks that the text is a DNS name, *.NAME or an IP address. Errors name `where`.
Status check_host(const std::string& host, const std::string& where);

}  // namespace caucus
