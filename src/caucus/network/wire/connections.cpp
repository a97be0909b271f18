#include "caucus/network/wire/connections.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <string_view>
#include <system_error>
#include <utility>

namespace caucus::wire {
namespace {

constexpr std::chrono::milliseconds kPause{10};  // until the system may have room again

/// What is told by an event: a socket of the listener, the end, or (from here on) a connection.
constexpr std::uint64_t kFirstConnection = 1U << 16U;
constexpr std::uint64_t kClosing = kFirstConnection - 1;

/// ADDRESS PORT of what gRPC writes "ipv4:ADDRESS:PORT" or "ipv6:%5BADDRESS%5D:PORT".
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

/// The same of the other end of a socket.
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

bool watch_for(const Descriptor& events, int file, std::uint32_t what, std::uint64_t told) {
  epoll_event event{};
  event.events = what;
  event.data.u64 = told;
  return ::epoll_ctl(events.number(), EPOLL_CTL_ADD, file, &event) == 0;
}

}  // namespace

struct Connections::Entry {
  std::string place;
  Descriptor socket;  ///< beside gRPC's own, so that its number is not another's meanwhile
  std::atomic<std::size_t> streams = 0, clients = 0;
};

// --- streams ---

Connections::Stream::Stream(std::shared_ptr<Entry> connection)
    : connection_(std::move(connection)) {
  ++connection_->streams;
}

Connections::Stream::Stream(Stream&& other) noexcept
    : connection_(std::move(other.connection_)), of_client_(other.of_client_) {}

Connections::Stream& Connections::Stream::operator=(Stream&& other) noexcept {
  connection_.swap(other.connection_);
  std::swap(of_client_, other.of_client_);
  return *this;
}

void Connections::Stream::is_of_client() {
  if (connection_ == nullptr || std::exchange(of_client_, true)) return;
  ++connection_->clients;
}

void Connections::Stream::end() {
  const auto connection = std::move(connection_);
  if (connection == nullptr) return;
  if (of_client_) --connection->clients;
  --connection->streams;
}

Connections::Stream Connections::take_in(const grpc::ServerContextBase& context) {
  gate_->seen(*context.auth_context());
  const std::string place = place_of(context.peer());
  const std::lock_guard lock(mutex_);
  const auto found = by_peer_.find(place);
  if (found == by_peer_.end()) return {};
  const std::uint64_t id = found->second;
  Stream stream(all_.at(id));
  if (all_.at(id)->streams > limits_.streams) break_off(id, "too many streams");
  return stream;
}

// --- connections ---

Connections::Connections(Listener listener, const ConnectionLimits& limits, Log log)
    : limits_(limits),
      log_(std::move(log)),
      gate_(std::make_shared<StreamGate>(limits.streams)),
      listener_(std::move(listener)) {}

Connections::~Connections() { close(); }

Status Connections::open(std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> server) {
  server_ = std::move(server);
  events_ = Descriptor(::epoll_create1(EPOLL_CLOEXEC));
  closing_ = Descriptor(::eventfd(0, EFD_CLOEXEC));
  bool ready = watch_for(events_, closing_.number(), EPOLLIN, kClosing);
  for (std::size_t k = 0; k < listener_.sockets.size(); ++k) {
    ready = ready && watch_for(events_, listener_.sockets[k].number(), EPOLLIN, k);
  }
  if (!ready) {
    return network_error(address().text(), std::generic_category().message(errno),
                         "expected to wait for connections");
  }
  watch_ = std::thread([this] { watch(); });
  return Done{};
}

void Connections::close() {
  if (!watch_.joinable()) return;
  ::eventfd_write(closing_.number(), 1);
  watch_.join();
  listener_.sockets.clear();
}

void Connections::watch() {
  std::array<epoll_event, 64> events{};
  while (true) {
    const int count = ::epoll_wait(events_.number(), events.data(), int(events.size()), -1);
    for (int n = 0; n < count; ++n) {
      const std::uint64_t told = events[std::size_t(n)].data.u64;
      if (told == kClosing) return;
      if (told >= kFirstConnection) {
        const std::lock_guard lock(mutex_);
        forget(told);
      } else if (!let_in(listener_.sockets[told])) {
        {
          const std::lock_guard lock(mutex_);
          make_room(std::max<std::size_t>(all_.size(), 1) - 1);
        }
        std::this_thread::sleep_for(kPause);
      }
    }
  }
}

bool Connections::let_in(const Descriptor& listener) {
  Descriptor socket(::accept4(listener.number(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (!socket.is_open()) {
    return errno != EMFILE && errno != ENFILE && errno != ENOBUFS && errno != ENOMEM;
  }
  if (!note(socket.number())) return false;
  grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters connection;
  connection.listener_fd = listener.number();
  connection.fd = socket.release();
  server_->HandleNewConnection(&connection);
  return true;
}

bool Connections::note(int socket) {
  auto entry = std::make_shared<Entry>();
  entry->place = place_of(socket);
  entry->socket = Descriptor(::fcntl(socket, F_DUPFD_CLOEXEC, 0));
  if (!entry->socket.is_open()) return false;
  const std::lock_guard lock(mutex_);
  make_room(limits_.connections - 1);
  const std::uint64_t id = kFirstConnection + next_++;
  // That it is over is told without being asked for.
  if (!watch_for(events_, entry->socket.number(), 0, id)) return false;
  by_peer_[entry->place] = id;
  all_[id] = std::move(entry);
  return true;
}

/// Whoever is a client says so at once: the oldest stranger is the least likely to be one.
void Connections::make_room(std::size_t most) {
  while (all_.size() > most) {
    const auto oldest = std::find_if(all_.begin(), all_.end(),
                                     [](const auto& one) { return one.second->clients == 0; });
    if (oldest == all_.end()) return;
    break_off(oldest->first, "too many connections");
  }
}

/// What has come and was not read yet is lost too: a shutdown would leave it for gRPC to read.
void Connections::break_off(std::uint64_t id, const char* reason) {
  const Entry& entry = *all_.at(id);
  sockaddr nowhere{};
  nowhere.sa_family = AF_UNSPEC;
  if (::connect(entry.socket.number(), &nowhere, sizeof nowhere) != 0) {
    ::shutdown(entry.socket.number(), SHUT_RDWR);
  }
  write_log(log_, LogLevel::warning, "connection broken", {{"peer", entry.place}, {"why", reason}});
  forget(id);
}

void Connections::forget(std::uint64_t id) {
  const auto found = all_.find(id);
  if (found == all_.end()) return;  // it was broken meanwhile
  const Entry& entry = *found->second;
  const auto newest = by_peer_.find(entry.place);
  if (newest != by_peer_.end() && newest->second == id) by_peer_.erase(newest);
  // Closing does not do that as long as gRPC has the same connection open.
  ::epoll_ctl(events_.number(), EPOLL_CTL_DEL, entry.socket.number(), nullptr);
  found->second->socket = Descriptor();
  all_.erase(found);
}

}  // namespace caucus::wire
