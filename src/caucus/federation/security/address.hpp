// Names and addresses of hosts, and the address of a server: HOST:PORT.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "caucus/result.hpp"

namespace caucus {

struct Address {
  std::string host;  ///< an IPv6 address without its brackets
  std::uint16_t port = 0;

  /// Returns HOST:PORT, with brackets around an IPv6 address.
  [[nodiscard]] std::string text() const;
  /// Returns whether the host is a loopback address: localhost, 127.x.y.z, ::1.
  [[nodiscard]] bool is_loopback() const;
};

/// Parses HOST:PORT or [IPV6]:PORT. Errors name `where`. Port 0 lets the system choose.
Result<Address> parse_address(std::string_view text, const std::string& where);
/// Parses the address of a server to connect to, whose port must not be 0.
Result<Address> parse_server_address(std::string_view text, const std::string& where);

/// Returns the 4 or 16 bytes of an IP address, or nothing if the text is not an address.
std::optional<std::vector<unsigned char>> address_bytes(const std::string& host);

/// Checks that the text is a DNS name, *.NAME or an IP address. Errors name `where`.
Status check_host(const std::string& host, const std::string& where);

}  // namespace caucus
