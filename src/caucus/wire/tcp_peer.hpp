// The other end of a TCP connection: where it is, what it has sent, and how to be rid of it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace caucus::wire {

/// ADDRESS PORT of what gRPC writes "ipv4:ADDRESS:PORT" or "ipv6:%5BADDRESS%5D:PORT".
std::string place_of(std::string_view peer);
/// The same of the other end of a socket.
std::string place_of(int socket);
/// The ADDRESS of a place.
std::string_view host_of(std::string_view place);

std::uint64_t bytes_from(int socket);
/// It will send nothing more.
bool has_gone(int socket);
/// Nor is anything on its way to it.
bool is_closed(int socket);
/// What has come and was not read yet is lost too: a shutdown would leave it for gRPC to read.
void drop(int socket);

}  // namespace caucus::wire
