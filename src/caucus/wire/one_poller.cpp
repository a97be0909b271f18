#include "caucus/wire/one_poller.hpp"

#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace caucus::wire {
namespace {

constexpr std::chrono::milliseconds kMoment{2};
constexpr std::chrono::milliseconds kPatience{500};

/// As gRPC 1.51 names them. Under another name none are found, and all go on as gRPC has it.
std::size_t count_pollers() {
  std::size_t count = 0;
  std::error_code code;
  for (std::filesystem::directory_iterator task("/proc/self/task", code), end; !code && task != end;
       task.increment(code)) {
    std::ifstream file(task->path() / "comm");
    std::string name;
    if (std::getline(file, name) && name == "nexting_thread") ++count;
  }
  return count;
}

/// Once all have their names; where there are none by another name, a tenth of a second is lost.
std::size_t count_settled_pollers() {
  std::size_t before = 0;
  for (int n = 0; n < 50; ++n) {
    std::this_thread::sleep_for(kMoment);
    const std::size_t pollers = count_pollers();
    if (pollers >= 2 && pollers == before) break;
    before = pollers;
  }
  return before;
}

/// A call that fails at once; only that a thread of gRPC's says so is of interest.
struct Call {
  grpc::ClientContext context;
  grpc::Slice nothing;
  grpc::ByteBuffer request{&nothing, 1}, reply;
};

/// Where the threads that are not needed wait.
class Seats {
 public:
  void sit() {
    std::unique_lock lock(mutex_);
    ++came_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return over_; });
    ++left_;
    changed_.notify_all();
  }
  bool wait_for(std::size_t guests) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kPatience, [&] { return came_ == guests; });
  }
  /// Until so many have left, and were there if need be.
  void empty(std::size_t guests) {
    std::unique_lock lock(mutex_);
    over_ = true;
    changed_.notify_all();
    changed_.wait(lock, [&] { return left_ == guests; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t came_ = 0, left_ = 0;
  bool over_ = false;
};

}  // namespace

/// Whatever is gRPC's stays out of the callbacks: it must not end on gRPC's own threads.
class OnePoller::Room {
 public:
  Room() = default;
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;
  Room(Room&&) = delete;
  Room& operator=(Room&&) = delete;
  ~Room() { empty(); }

  /// Asks a thread in; false if none came.
  bool invite() {
    Call& call = *calls_.emplace_back(std::make_unique<Call>());
    stub_.UnaryCall(&call.context, "/nobody/nothing", {}, &call.request, &call.reply,
                    [seats = seats_](const grpc::Status&) { seats->sit(); });
    return seats_->wait_for(calls_.size());
  }
  void empty() { seats_->empty(calls_.size()); }

 private:
  // Without credentials it is a channel on which nothing is ever sent.
  grpc::GenericStub stub_{grpc::CreateChannel("", nullptr)};
  const std::shared_ptr<Seats> seats_ = std::make_shared<Seats>();
  std::vector<std::unique_ptr<Call>> calls_;
};

std::shared_ptr<OnePoller::Room> OnePoller::enter() {
  static std::mutex mutex;
  static std::weak_ptr<Room> present;
  const std::lock_guard lock(mutex);
  if (auto room = present.lock()) return room;
  auto room = std::make_shared<Room>();
  present = room;
  bool came = room->invite();
  const std::size_t pollers = count_settled_pollers();
  for (std::size_t n = 2; came && n < pollers; ++n) came = room->invite();
  if (!came || pollers < 2) room->empty();
  return room;
}

OnePoller::OnePoller() : room_(enter()) {}

OnePoller::~OnePoller() = default;

}  // namespace caucus::wire
