#include "caucus/wire/connection.hpp"

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "caucus/core/base/text.hpp"
#include "caucus/wire/backoff.hpp"
#include "caucus/wire/channel.hpp"
#include "caucus/wire/client_stream.hpp"
#include "caucus/wire/codec.hpp"

namespace caucus::wire {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kFarewell{1000};
/// So long it tries to say that it has heard the end, for which the server waits.
constexpr std::chrono::milliseconds kGoodbye{10'000};
/// A stream that lasted so long was a good one.
constexpr std::chrono::milliseconds kSteady{1000};
constexpr const char* kExpected = "expected a caucus server there, with TLS as it is asked for";

}  // namespace

/// Its thread makes one stream after another; gRPC's threads bring what comes on them. While it
/// waits for a stream to be done no other events can come from itself.
class Connection::Keeper {
 public:
  Keeper(ConnectionOptions options, ConnectionEvents events)
      : options_(std::move(options)),
        events_(std::move(events)),
        backoff_(std::hash<std::string>{}(options_.hello.client) ^
                 static_cast<std::uint64_t>(Clock::now().time_since_epoch().count())) {}
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;
  Keeper(Keeper&&) = delete;
  Keeper& operator=(Keeper&&) = delete;
  ~Keeper() { stop(); }

  void start() {
    thread_ = std::thread([this] { keep(); });
  }

  void ready(const ReadyRecord& ready) {
    {
      const std::lock_guard lock(mutex_);
      ready_ = ready;
    }
    say_ready();
  }

  void report(const ReportRecord& report) {
    if (const auto stream = open_stream()) stream->report(report);
  }

  void give_up(Status end) {
    const std::lock_guard lock(mutex_);
    if (!end_) end_ = std::move(end);
    changed_.notify_all();
  }

  void stop() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
      changed_.notify_all();
    }
    const std::lock_guard lock(stop_mutex_);
    if (thread_.joinable()) thread_.join();
  }

  std::atomic<std::uint64_t> up{0}, down{0}, streams{0};
  std::atomic<bool> out_of_patience = false;

 private:
  [[nodiscard]] bool leaving() const { return stopping_ || end_; }

  // --- on its own thread ---

  void keep() {
    alone_since_ = Clock::now();
    tell(ConnectionState::connecting, options_.server.text());
    while (true) {
      const auto begun = Clock::now();
      const grpc::Status status = hold_stream();
      std::unique_lock lock(mutex_);
      if (stopping_) return;
      if (welcomed_) alone_since_ = Clock::now();
      if (welcomed_ && Clock::now() - begun > kSteady) backoff_.reset();
      if (!end_ && goodbye_until_) {
        // The server ends the stream well once the goodbye is in its store.
        const bool noted = heard_end_ && status.ok();
        if (noted || Clock::now() >= *goodbye_until_) end_ = Done{};
      }
      if (!end_) {
        if (why_.empty()) why_ = text_of(status);
        if (streams == 0 && is_hopeless(status)) end_ = failure(why_, kExpected);
      }
      if (!end_) {
        const std::string why = why_;
        lock.unlock();
        tell(ConnectionState::lost, why);
        lock.lock();
        wait_before_next(lock);
      }
      if (stopping_) return;
      if (end_) return finish(lock);
    }
  }

  /// Until it is done; with what was sent and welcomed on it still to be seen.
  grpc::Status hold_stream() {
    auto channel = make_channel(options_.server, options_.tls);
    const auto stream = std::make_shared<ClientStream>(
        channel, [this](const v1::ServerMessage& message) { receive(message); },
        [this](const grpc::Status& status) {
          const std::lock_guard lock(mutex_);
          done_ = status;
          changed_.notify_all();
        },
        up);
    v1::ClientMessage hello;
    encode(options_.hello, *hello.mutable_hello());
    {
      const std::lock_guard lock(mutex_);
      stream_ = stream;
      welcomed_ = said_ready_ = heard_end_ = false;
      done_.reset();
      why_.clear();
    }
    stream->begin(std::move(hello));
    channel_ = std::move(channel);  // the older one ends only now, so that gRPC's threads go on

    std::unique_lock lock(mutex_);
    const auto over = [&] { return done_ || leaving() || heard_end_; };
    changed_.wait_until(lock, in_patience(Clock::now() + options_.welcome_within),
                        [&] { return over() || welcomed_; });
    if (welcomed_) changed_.wait(lock, over);
    if (heard_end_) hear_end(*stream, lock);
    if (!done_ && (leaving() || heard_end_)) {
      take_leave(*stream, lock);
    } else if (!done_) {
      why_ = "nobody answers";
    }
    if (!done_) {
      lock.unlock();
      stream->cancel();
      lock.lock();
      changed_.wait(lock, [&] { return done_.has_value(); });
    }
    stream_.reset();
    return *done_;
  }

  void hear_end(ClientStream& stream, std::unique_lock<std::mutex>& lock) {
    const bool first = !goodbye_until_;
    if (first) goodbye_until_ = Clock::now() + kGoodbye;
    lock.unlock();
    if (first && events_.on_over) events_.on_over();
    v1::ClientMessage message;
    message.mutable_goodbye();
    stream.send(std::move(message));
    lock.lock();
  }

  void take_leave(ClientStream& stream, std::unique_lock<std::mutex>& lock) {
    if (!welcomed_ && !end_ && !heard_end_) return;  // there is nobody to say it to
    lock.unlock();
    stream.close();
    lock.lock();
    changed_.wait_until(lock, heard_end_ ? *goodbye_until_ : Clock::now() + kFarewell,
                        [&] { return done_.has_value(); });
  }

  void wait_before_next(std::unique_lock<std::mutex>& lock) {
    changed_.wait_until(lock, in_patience(Clock::now() + backoff_.next()),
                        [&] { return leaving(); });
    if (options_.patience.count() == 0 || leaving() || goodbye_until_) return;
    if (Clock::now() < alone_since_ + options_.patience) return;
    const auto seconds = std::chrono::duration<double>(options_.patience).count();
    out_of_patience = true;
    end_ = failure("no answer for " + to_text(seconds) + " s (the last attempt: " + why_ + ")",
                   kExpected);
  }

  /// No later than its patience is over, or the time for a goodbye.
  [[nodiscard]] Clock::time_point in_patience(Clock::time_point time) const {
    if (goodbye_until_) return std::min(time, *goodbye_until_);
    if (options_.patience.count() == 0) return time;
    return std::min(time, alone_since_ + options_.patience);
  }

  [[nodiscard]] Error failure(const std::string& what, const std::string& expected = {}) const {
    return network_error("server " + options_.server.text(), what, expected);
  }

  void finish(std::unique_lock<std::mutex>& lock) {
    const Status end = *end_;
    const std::string why = end.ok() ? why_ : end.error().line();
    lock.unlock();
    tell(end.ok() ? ConnectionState::over : ConnectionState::failed, why);
    if (events_.on_end) events_.on_end(end);
  }

  /// Once per change.
  void tell(ConnectionState state, const std::string& why) {
    if (state == told_) return;
    told_ = state;
    if (events_.on_state) events_.on_state(state, why);
  }

  // --- on gRPC's threads ---

  void receive(const v1::ServerMessage& message) {
    down += bytes_of(message);
    if (message.has_welcome()) {
      welcome(message.welcome());
    } else if (message.has_assignment()) {
      if (events_.on_assignment) events_.on_assignment(decode(message.assignment()));
    } else if (message.has_refusal()) {
      refuse(message.refusal());
    } else if (message.has_end()) {
      const std::lock_guard lock(mutex_);
      why_ = message.end().why();
      heard_end_ = true;
      changed_.notify_all();
    }  // else of a later version; it can do without an answer
  }

  void welcome(const v1::Welcome& message) {
    const auto record = decode(message);
    if (!record.ok()) return give_up(record.error());
    {
      const std::lock_guard lock(mutex_);
      if (welcomed_) return;
      if (options_.hello.run && *options_.hello.run != record->run) {
        end_with("serves another run than before; expected the one that it joined");
        return;
      }
      options_.hello.run = record->run;
      welcomed_ = true;
      changed_.notify_all();
    }
    ++streams;
    tell(ConnectionState::connected, options_.server.text());
    if (events_.on_welcome) events_.on_welcome(*record);
    say_ready();
  }

  void refuse(const v1::Refusal& refusal) {
    if (refusal.batch() > 0) {
      if (events_.on_refusal) events_.on_refusal(refusal.batch(), refusal.why());
      return;
    }
    const std::lock_guard lock(mutex_);
    why_ = refusal.why();
    if (refusal.final()) end_with("refuses: " + why_);
    changed_.notify_all();
  }

  /// Locked. Whoever has heard the end does not care.
  void end_with(const std::string& why) {
    if (!end_) end_ = goodbye_until_ ? Status(Done{}) : Status(failure(why));
    changed_.notify_all();
  }

  // --- on any thread ---

  /// Locked until it is said: another thread may have a report for the stream before, and the
  /// server shows whoever reports first the door.
  void say_ready() {
    const std::lock_guard lock(mutex_);
    if (!ready_ || !welcomed_ || said_ready_ || leaving()) return;
    said_ready_ = true;
    v1::ClientMessage message;
    encode(*ready_, *message.mutable_ready());
    if (stream_) stream_->send(std::move(message));
  }

  /// Null if nothing can be sent.
  std::shared_ptr<ClientStream> open_stream() {
    const std::lock_guard lock(mutex_);
    return said_ready_ && !leaving() ? stream_ : nullptr;
  }

  ConnectionOptions options_;  ///< its hello changes while locked, between streams or in welcome()
  const ConnectionEvents events_;
  Backoff backoff_;
  std::shared_ptr<grpc::Channel> channel_;
  Clock::time_point alone_since_;
  std::optional<ConnectionState> told_;

  std::mutex mutex_;  // of all below
  std::condition_variable changed_;
  bool stopping_ = false;
  std::optional<Status> end_;  ///< how it all ended
  std::optional<ReadyRecord> ready_;
  std::shared_ptr<ClientStream> stream_;
  bool welcomed_ = false, said_ready_ = false, heard_end_ = false;  ///< on this stream
  std::optional<Clock::time_point> goodbye_until_;  ///< once it has heard the end, on any
  std::optional<grpc::Status> done_;
  std::string why_;  ///< it ended

  std::mutex stop_mutex_;
  std::thread thread_;
};

Connection::Connection(ConnectionOptions options, ConnectionEvents events)
    : keeper_(std::make_unique<Keeper>(std::move(options), std::move(events))) {}
Connection::~Connection() = default;

void Connection::start() { keeper_->start(); }
void Connection::ready(const ReadyRecord& ready) { keeper_->ready(ready); }
void Connection::report(const ReportRecord& report) { keeper_->report(report); }
void Connection::give_up(Error error) { keeper_->give_up(std::move(error)); }
void Connection::stop() { keeper_->stop(); }
std::uint64_t Connection::bytes_up() const { return keeper_->up; }
std::uint64_t Connection::bytes_down() const { return keeper_->down; }
std::uint64_t Connection::streams() const { return keeper_->streams; }
bool Connection::out_of_patience() const { return keeper_->out_of_patience; }

}  // namespace caucus::wire
