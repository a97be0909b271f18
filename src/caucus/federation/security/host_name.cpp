#include "caucus/federation/security/host_name.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>

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
