#include "caucus/federation/security/address.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace caucus {
namespace {

constexpr std::size_t kMostName = 253;
constexpr std::size_t kMostLabel = 63;

bool is_label(std::string_view label) {
  if (label.empty() || label.size() > kMostLabel) return false;
  if (label.front() == '-' || label.back() == '-') return false;
  return std::all_of(label.begin(), label.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
  });
}

bool is_dns_name(std::string_view host) {
  if (host.size() > kMostName) return false;
  if (host.starts_with("*.")) host.remove_prefix(2);  // a wildcard replaces one label
  // A name of digits such as 1.2.3 is neither a name nor an address.
  if (host.find_first_not_of("0123456789.") == std::string_view::npos) return false;
  for (std::size_t dot = host.find('.'); dot != std::string_view::npos; dot = host.find('.')) {
    if (!is_label(host.substr(0, dot))) return false;
    host.remove_prefix(dot + 1);
  }
  return is_label(host);
}

}  // namespace

std::string Address::text() const {
  const bool brackets = host.find(':') != std::string::npos;
  return (brackets ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

bool Address::is_loopback() const {
  const auto bytes = address_bytes(host);
  if (!bytes) return host == "localhost";
  return bytes->size() == 4 ? bytes->front() == 127 : bytes == address_bytes("::1");
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

std::optional<std::vector<unsigned char>> address_bytes(const std::string& host) {
  if (host.find('\0') != std::string::npos) return std::nullopt;  // inet_pton would stop there
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  if (inet_pton(AF_INET, host.c_str(), bytes.data()) == 1) {
    return std::vector<unsigned char>(bytes.begin(), bytes.begin() + sizeof(in_addr));
  }
  if (inet_pton(AF_INET6, host.c_str(), bytes.data()) == 1) {
    return std::vector<unsigned char>(bytes.begin(), bytes.end());
  }
  return std::nullopt;
}

Status check_host(const std::string& host, const std::string& where) {
  if (address_bytes(host) || is_dns_name(host)) return Done{};
  return usage_error(where, "'" + host.substr(0, kMostName) + "' is not a host",
                     "expected a name as in server.example, or an IP address, without a port");
}

}  // namespace caucus
