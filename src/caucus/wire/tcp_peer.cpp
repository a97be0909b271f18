#include "caucus/wire/tcp_peer.hpp"

#include <arpa/inet.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>

namespace caucus::wire {
namespace {

// TCP's states once the other side has gone, of which <linux/tcp.h> has no names.
constexpr std::uint8_t kClosed = 7;
constexpr std::uint8_t kCloseWait = 8;

tcp_info tcp_info_of(int socket) {
  tcp_info info{};
  socklen_t size = sizeof info;
  ::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size);
  return info;
}

}  // namespace

std::string place_of(std::string_view peer) {
  const std::size_t kind = peer.find(':');
  const std::size_t colon = peer.rfind(':');
  if (kind == colon) return {};
  std::string_view host = peer.substr(kind + 1, colon - kind - 1);
  for (const std::string_view bracket : {"%5B", "["}) {
    if (host.starts_with(bracket)) host.remove_prefix(bracket.size());
  }
  host = host.substr(0, host.find_first_of("%]"));  // without the name of an interface
  return std::string(host) + " " + std::string(peer.substr(colon + 1));
}

std::string place_of(int socket) {
  sockaddr_storage at{};
  socklen_t size = sizeof at;
  if (::getpeername(socket, reinterpret_cast<sockaddr*>(&at), &size) != 0) return {};
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (at.ss_family == AF_INET) {
    const auto& four = reinterpret_cast<const sockaddr_in&>(at);
    ::inet_ntop(AF_INET, &four.sin_addr, text.data(), text.size());
    return text.data() + (" " + std::to_string(ntohs(four.sin_port)));
  }
  const auto& six = reinterpret_cast<const sockaddr_in6&>(at);
  if (IN6_IS_ADDR_V4MAPPED(&six.sin6_addr)) {
    ::inet_ntop(AF_INET, &six.sin6_addr.s6_addr[12], text.data(), text.size());
  } else {
    ::inet_ntop(AF_INET6, &six.sin6_addr, text.data(), text.size());
  }
  return text.data() + (" " + std::to_string(ntohs(six.sin6_port)));
}

std::string_view host_of(std::string_view place) { return place.substr(0, place.find(' ')); }

std::uint64_t bytes_from(int socket) { return tcp_info_of(socket).tcpi_bytes_received; }

bool has_gone(int socket) {
  const auto state = tcp_info_of(socket).tcpi_state;
  return state == kClosed || state == kCloseWait;
}

bool is_closed(int socket) { return tcp_info_of(socket).tcpi_state == kClosed; }

void drop(int socket) {
  sockaddr nowhere{};
  nowhere.sa_family = AF_UNSPEC;
  if (::connect(socket, &nowhere, sizeof nowhere) != 0) ::shutdown(socket, SHUT_RDWR);
}

}  // namespace caucus::wire
