#include "caucus/wire/listener.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <system_error>

namespace caucus::wire {
namespace {

constexpr int kUnheardWithin = 10'000;  // milliseconds until what was sent must have arrived
constexpr int kAttempts = 16;           // to find a port that is free for all addresses of a name

using Addresses = std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)>;

Error cannot_listen(const Address& address, const std::string& why) {
  return network_error(address.text(), "cannot be listened on: " + why,
                       "expected an address and a free port of this machine");
}

Result<Addresses> addresses_of(const Address& address) {
  addrinfo wanted{};
  wanted.ai_family = AF_UNSPEC;
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  const std::string port = std::to_string(address.port);
  if (const int code = ::getaddrinfo(address.host.c_str(), port.c_str(), &wanted, &found);
      code != 0) {
    return cannot_listen(address, ::gai_strerror(code));
  }
  return Addresses(found, &::freeaddrinfo);
}

void set(const Descriptor& socket, int level, int option, int value) {
  ::setsockopt(socket.number(), level, option, &value, sizeof value);  // for comfort
}

/// None with errno if it cannot be had. What is set here connections inherit.
Descriptor listen_at(const addrinfo& where, std::uint16_t port) {
  sockaddr_storage at{};
  std::memcpy(&at, where.ai_addr, where.ai_addrlen);
  auto& place = where.ai_family == AF_INET6 ? reinterpret_cast<sockaddr_in6&>(at).sin6_port
                                            : reinterpret_cast<sockaddr_in&>(at).sin_port;
  place = htons(port);
  Descriptor socket(::socket(where.ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!socket.is_open()) return socket;
  set(socket, SOL_SOCKET, SO_REUSEADDR, 1);  // not SO_REUSEPORT: two servers there are a mistake
  if (where.ai_family == AF_INET6) set(socket, IPPROTO_IPV6, IPV6_V6ONLY, 0);
  set(socket, IPPROTO_TCP, TCP_NODELAY, 1);
  set(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, kUnheardWithin);
  if (::bind(socket.number(), reinterpret_cast<const sockaddr*>(&at), where.ai_addrlen) != 0 ||
      ::listen(socket.number(), SOMAXCONN) != 0) {
    return {};
  }
  return socket;
}

std::uint16_t port_of(const Descriptor& socket) {
  sockaddr_storage at{};
  socklen_t size = sizeof at;
  if (::getsockname(socket.number(), reinterpret_cast<sockaddr*>(&at), &size) != 0) return 0;
  return ntohs(at.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6&>(at).sin6_port
                                        : reinterpret_cast<sockaddr_in&>(at).sin_port);
}

/// Whether the list has named it before: files of hosts may say things twice.
bool is_repeated(const addrinfo& one, const addrinfo& first) {
  for (const addrinfo* before = &first; before != &one; before = before->ai_next) {
    if (before->ai_addrlen == one.ai_addrlen &&
        std::memcmp(before->ai_addr, one.ai_addr, one.ai_addrlen) == 0) {
      return true;
    }
  }
  return false;
}

/// Some addresses of a name may not be this machine's; none may be somebody else's already. Gives
/// back the error of the last that could not be had, or 0.
int listen_at_all(const addrinfo& first, Listener& listener) {
  int error = 0;
  for (const addrinfo* where = &first; where != nullptr; where = where->ai_next) {
    if (where->ai_family != AF_INET && where->ai_family != AF_INET6) continue;
    if (is_repeated(*where, first)) continue;
    Descriptor socket = listen_at(*where, listener.address.port);
    if (!socket.is_open()) {
      error = errno;
      if (error == EADDRINUSE || error == EACCES) return error;
      continue;
    }
    listener.address.port = port_of(socket);
    listener.sockets.push_back(std::move(socket));
  }
  return listener.sockets.empty() ? error : 0;
}

}  // namespace

Result<Listener> Listener::on(const Address& address) {
  CAUCUS_TRY(const Addresses addresses, addresses_of(address));
  int error = 0;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    Listener listener{address, {}};
    error = listen_at_all(*addresses, listener);
    if (error == 0 && !listener.sockets.empty()) return listener;
    if (error != EADDRINUSE || address.port != 0) break;
  }
  return cannot_listen(address, std::generic_category().message(error));
}

}  // namespace caucus::wire
