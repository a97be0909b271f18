#include "caucus/wire/connections.hpp"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <string_view>
#include <system_error>
#include <utility>

#include "caucus/wire/tcp_peer.hpp"

namespace caucus::wire {
namespace {

constexpr std::chrono::seconds kLeave{1};  // for gRPC to end what was cancelled
constexpr int kMoment = 1;                 // milliseconds, while somebody waits for room
constexpr int kLookAgain = 10;             // milliseconds, while strangers are there

constexpr std::uint64_t kFirstWords = 16U << 10U;  // bytes; honest ones have a tenth of it

/// What is told by an event: a socket of the listener, the bell, or (from here on) a connection.
constexpr std::uint64_t kFirstConnection = 1U << 16U;
constexpr std::uint64_t kBell = kFirstConnection - 1;

bool watch_for(const Descriptor& events, int operation, int file, std::uint32_t what,
               std::uint64_t told) {
  epoll_event event{};
  event.events = what;
  event.data.u64 = told;
  return ::epoll_ctl(events.number(), operation, file, &event) == 0;
}

}  // namespace

struct Connections::Entry {
  std::uint64_t id = 0;
  std::string place;
  Descriptor socket;  ///< beside gRPC's own, so that what it stands for is not another's meanwhile
  int grpcs = -1;     ///< the number of gRPC's own
  bool leaving = false;  ///< it is over, but gRPC has not done with it
  std::atomic<std::size_t> streams = 0, clients = 0;
  std::atomic<bool> is_known = false;  ///< it has carried a client's stream

  /// gRPC closes a connection when the last of its streams has ended and is no more in memory.
  [[nodiscard]] bool is_gone() const {
    struct stat mine {};
    struct stat its {};
    return ::fstat(socket.number(), &mine) != 0 || ::fstat(grpcs, &its) != 0 ||
           mine.st_ino != its.st_ino || mine.st_dev != its.st_dev;
  }
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
  connection_->is_known = true;
}

void Connections::Stream::end() {
  const auto connection = std::move(connection_);
  if (connection == nullptr) return;
  if (of_client_) --connection->clients;
  --connection->streams;
}

Connections::Stream Connections::take_in(const grpc::ServerContextBase& context) {
  gate_->seen(*context.auth_context());
  Stream stream = stream_from(place_of(context.peer()));
  if (!stream.has_connection()) context.TryCancel();  // that was broken when this had been read
  return stream;
}

Connections::Stream Connections::stream_from(const std::string& place) {
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

Connections::~Connections() {
  if (!watch_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  ::eventfd_write(bell_.number(), 1);
  watch_.join();
}

Status Connections::open(std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> server) {
  server_ = std::move(server);
  events_ = Descriptor(::epoll_create1(EPOLL_CLOEXEC));
  bell_ = Descriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  bool ready = watch_for(events_, EPOLL_CTL_ADD, bell_.number(), EPOLLIN, kBell);
  for (std::size_t k = 0; k < listener_.sockets.size(); ++k) {
    ready = ready && watch_for(events_, EPOLL_CTL_ADD, listener_.sockets[k].number(), EPOLLIN, k);
  }
  if (!ready) {
    return network_error(address().text(), std::generic_category().message(errno),
                         "expected to wait for connections");
  }
  watch_ = std::thread([this] { watch(); });
  return Done{};
}

void Connections::close(std::chrono::milliseconds grace) {
  std::unique_lock lock(mutex_);
  end_ = std::chrono::steady_clock::now() + grace + kLeave;
  ::eventfd_write(bell_.number(), 1);
  closed_.wait(lock, [&] { return listener_.sockets.empty() || !watch_.joinable(); });
}

void Connections::watch() {
  std::array<epoll_event, 64> events{};
  int wait = -1;
  while (true) {
    const int count = ::epoll_wait(events_.number(), events.data(), int(events.size()), wait);
    for (int n = 0; n < count; ++n) {
      const std::uint64_t told = events[std::size_t(n)].data.u64;
      if (told == kBell) {
        eventfd_t ignored = 0;
        ::eventfd_read(bell_.number(), &ignored);
      } else if (told >= kFirstConnection) {
        const std::lock_guard lock(mutex_);
        leave(told);
      } else if (is_full() || !let_in(listener_.sockets[told])) {
        const std::lock_guard lock(mutex_);
        make_room();
      }
    }
    const std::lock_guard lock(mutex_);
    if (over_) return;
    if (end_) stop_listening();
    break_those_to_go();
    std::erase_if(all_,
                  [](const auto& one) { return one.second->leaving && one.second->is_gone(); });
    if (paused_ && (all_.size() < limits_.connections || !is_anybody_leaving())) listen(true);
    wait = patience();
  }
}

bool Connections::is_full() {
  const std::lock_guard lock(mutex_);
  return all_.size() >= limits_.connections;
}

bool Connections::is_anybody_leaving() const {
  return std::any_of(all_.begin(), all_.end(), [](const auto& one) { return one.second->leaving; });
}

/// Who waits to come in is heard of, or not until somebody has gone.
void Connections::listen(bool on) {
  paused_ = !on;
  for (std::size_t k = 0; k < listener_.sockets.size(); ++k) {
    watch_for(events_, EPOLL_CTL_MOD, listener_.sockets[k].number(),
              on ? std::uint32_t(EPOLLIN) : 0U, k);
  }
}

void Connections::stop_listening() {
  listener_.sockets.clear();
  closed_.notify_all();
}

/// Strangers who say more than anybody has to before it is known, and at the end whoever is left.
void Connections::break_those_to_go() {
  const bool all = end_ && std::chrono::steady_clock::now() >= *end_;
  for (const auto& [id, entry] : all_) {
    if (entry->leaving) continue;
    if (all || (end_ && !entry->is_known)) {
      drop(entry->socket.number());
      leave(id);
    } else if (!entry->is_known && bytes_from(entry->socket.number()) > limits_.strangers_bytes) {
      break_off(id, "too many bytes of a stranger");
    }
  }
}

/// Milliseconds until something has to be done, or -1.
int Connections::patience() const {
  if (paused_) return kMoment;
  const bool restless = std::any_of(all_.begin(), all_.end(), [](const auto& one) {
    return one.second->leaving || !one.second->is_known;
  });
  return restless || (end_ && !all_.empty()) ? kLookAgain : -1;
}

bool Connections::let_in(const Descriptor& listener) {
  Descriptor socket(::accept4(listener.number(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (!socket.is_open()) {
    return errno != EMFILE && errno != ENFILE && errno != ENOBUFS && errno != ENOMEM;
  }
  if (has_gone(socket.number())) return true;
  if (bytes_from(socket.number()) > kFirstWords) {
    log_broken(place_of(socket.number()), "too many bytes before it was heard");
    drop(socket.number());
    return true;
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
  entry->grpcs = socket;
  entry->socket = Descriptor(::fcntl(socket, F_DUPFD_CLOEXEC, 0));
  if (!entry->socket.is_open()) return false;
  const std::lock_guard lock(mutex_);
  // gRPC says where a stream comes from, not to which address of ours: there is one from each
  // place.
  if (const auto before = by_peer_.find(entry->place); before != by_peer_.end()) {
    break_off(before->second, "another one from the same place");
  }
  const std::uint64_t id = entry->id = kFirstConnection + next_++;
  // That it is over is told without being asked for.
  if (!watch_for(events_, EPOLL_CTL_ADD, entry->socket.number(), 0, id)) return false;
  by_peer_[entry->place] = id;
  all_[id] = std::move(entry);
  return true;
}

/// One at a time: until gRPC has done with it, nobody else comes in.
void Connections::make_room() {
  listen(false);
  if (is_anybody_leaving()) return;
  if (const Entry* stranger = to_give_way()) break_off(stranger->id, "too many connections");
}

/// Whoever is a client says so at once: the oldest stranger is the least likely to be one, of those
/// from where the most come.
const Connections::Entry* Connections::to_give_way() const {
  const auto is_stranger = [](const Entry& one) { return one.clients == 0 && !one.leaving; };
  std::unordered_map<std::string_view, std::size_t> from;
  std::size_t most = 0;
  for (const auto& [id, entry] : all_) {
    if (is_stranger(*entry)) most = std::max(most, ++from[host_of(entry->place)]);
  }
  for (const auto& [id, entry] : all_) {
    if (is_stranger(*entry) && from[host_of(entry->place)] == most) return entry.get();
  }
  return nullptr;
}

void Connections::break_off(std::uint64_t id, const char* reason) {
  const Entry& entry = *all_.at(id);
  log_broken(entry.place, reason);  // first: whoever sees it broken finds in the log why
  drop(entry.socket.number());
  leave(id);
}

void Connections::log_broken(const std::string& place, const char* reason) const {
  write_log(log_, LogLevel::warning, "connection broken", {{"peer", place}, {"why", reason}});
}

/// It counts until gRPC has done with it.
void Connections::leave(std::uint64_t id) {
  const auto found = all_.find(id);
  if (found == all_.end() || found->second->leaving) return;  // it was broken meanwhile
  Entry& entry = *found->second;
  entry.leaving = true;
  by_peer_.erase(entry.place);
  ::epoll_ctl(events_.number(), EPOLL_CTL_DEL, entry.socket.number(), nullptr);
  // The other side has broken it: whatever it has sent before is of no use.
  if (is_closed(entry.socket.number())) drop(entry.socket.number());
}

}  // namespace caucus::wire
