#include "caucus/federation/security/address.hpp"

#include <arpa/inet.h>

#include <array>
#include <charconv>

namespace caucus {

std::string Address::text() const {
  const bool brackets = host.find(':') != std::string::npos;
  return (brackets ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

bool Address::is_loopback() const {
  in_addr four{};
  if (inet_pton(AF_INET, host.c_str(), &four) == 1) return ntohl(four.s_addr) >> 24U == 127U;
  in6_addr six{};
  if (inet_pton(AF_INET6, host.c_str(), &six) == 1) return IN6_IS_ADDR_LOOPBACK(&six) != 0;
  return host == "localhost";
}

Result<Address> parse_address(std::string_view text, const std::string& where) {
  const auto wrong = [&] {
    return usage_error(where, "'" + std::string(text) + "' is not an address",
                       "expected HOST:PORT, as in localhost:7070 or [::1]:7070");
  };
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return wrong();
  std::string_view host = text.substr(0, colon);
  const std::string_view port = text.substr(colon + 1);
  if (host.front() == '[') {
    if (host.size() < 3 || host.back() != ']') return wrong();
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return wrong();  // an IPv6 address without brackets is ambiguous
  }
  if (host.find_first_of(" \t\r\n/[]") != std::string_view::npos) return wrong();
  Address address{std::string(host), 0};
  const auto [end, code] = std::from_chars(port.data(), port.data() + port.size(), address.port);
  if (port.empty() || code != std::errc{} || end != port.data() + port.size()) return wrong();
  return address;
}

Result<Address> parse_server_address(std::string_view text, const std::string& where) {
  CAUCUS_TRY(Address address, parse_address(text, where));
  if (address.port == 0) {
    return usage_error(where, "no server listens on port 0", "expected the port of a server");
  }
  return address;
}

}  // namespace caucus
