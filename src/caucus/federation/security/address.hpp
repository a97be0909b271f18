// Where a server listens: HOST:PORT.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "caucus/core/base/result.hpp"

namespace caucus {

struct Address {
  std::string host;  ///< an IPv6 address without its brackets
  std::uint16_t port = 0;

  /// HOST:PORT, with brackets where they are needed.
  [[nodiscard]] std::string text() const;
  /// Whether only this machine can reach it: localhost, 127.x.y.z, ::1.
  [[nodiscard]] bool is_loopback() const;
};

/// HOST:PORT or [IPV6]:PORT; `where` is named in the error. Port 0 lets the system choose.
Result<Address> parse_address(std::string_view text, const std::string& where);
/// The same of a server that is to be found there: it has a port.
Result<Address> parse_server_address(std::string_view text, const std::string& where);

}  // namespace caucus
