#include "caucus/wire/connection.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "caucus/core/base/text.hpp"
#include "caucus/wire/channel.hpp"

namespace caucus::wire {
namespace {

constexpr std::chrono::milliseconds kFarewell{1000};         // to send waiting messages at the end
constexpr std::chrono::milliseconds kGoodbye{10'000};        // to acknowledge the end
constexpr std::chrono::milliseconds kWelcomeWithin{10'000};  // after that it tries another stream
/// The backoff begins anew after a stream that lasted this long.
constexpr std::chrono::milliseconds kSteady{1000};

}  // namespace

Connection::Connection(ConnectionOptions options, ConnectionEvents events)
    : options_(std::move(options)),
      events_(std::move(events)),
      backoff_(std::hash<std::string>{}(options_.hello.client) ^
               static_cast<std::uint64_t>(Clock::now().time_since_epoch().count())) {}

Connection::~Connection() { stop(); }

void Connection::start() {
  thread_ = std::thread([this] { keep(); });
}

void Connection::ready(const ReadyRecord& ready) {
  {
    const std::lock_guard lock(mutex_);
    ready_ = ready;
  }
  say_ready();
}

void Connection::report(const ReportRecord& report) {
  if (const auto stream = open_stream()) stream->report(report);
}

void Connection::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  const std::lock_guard lock(stop_mutex_);
  if (thread_.joinable()) thread_.join();
}

// --- on its own thread ---

void Connection::keep() {
  alone_since_ = Clock::now();
  tell(ConnectionState::connecting, options_.server.text());
  while (true) {
    const auto begun = Clock::now();
    const grpc::Status status = hold_stream();
    std::unique_lock lock(mutex_);
    if (welcomed_) alone_since_ = Clock::now();
    if (welcomed_ && alone_since_ - begun > kSteady) backoff_.reset();
    // The server ends the stream without an error once the goodbye is stored.
    const bool acknowledged = heard_end_ && status.ok();
    if (!end_ && goodbye_until_ && (acknowledged || Clock::now() >= *goodbye_until_)) {
      end_ = Done{};
    }
    if (!end_ && why_.empty()) why_ = text_of(status);
    if (!end_ && streams_ == 0 && is_hopeless(status)) end_ = failure(why_, kExpectedServer);
    if (!leaving()) {
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

grpc::Status Connection::hold_stream() {
  auto channel = make_channel(options_.server, options_.tls);
  const auto stream = std::make_shared<ClientStream>(
      channel, [this](const v1::ServerMessage& message) { receive(message); },
      [this](const grpc::Status& status) {
        const std::lock_guard lock(mutex_);
        done_ = status;
        changed_.notify_all();
      },
      bytes_up_);
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
  channel_ = std::move(channel);  // the older one ends only now, so gRPC's threads stay

  std::unique_lock lock(mutex_);
  const auto over = [&] { return done_ || leaving() || heard_end_; };
  changed_.wait_until(lock, in_patience(Clock::now() + kWelcomeWithin),
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

void Connection::hear_end(ClientStream& stream, std::unique_lock<std::mutex>& lock) {
  const bool first = !goodbye_until_;
  if (first) goodbye_until_ = Clock::now() + kGoodbye;
  lock.unlock();
  if (first && events_.on_over) events_.on_over();
  v1::ClientMessage message;
  message.mutable_goodbye();
  stream.send(std::move(message));
  lock.lock();
}

void Connection::take_leave(ClientStream& stream, std::unique_lock<std::mutex>& lock) {
  if (!welcomed_ && !end_ && !heard_end_) return;  // no server is connected
  lock.unlock();
  stream.close();
  lock.lock();
  changed_.wait_until(lock, heard_end_ ? *goodbye_until_ : Clock::now() + kFarewell,
                      [&] { return done_.has_value(); });
}

void Connection::wait_before_next(std::unique_lock<std::mutex>& lock) {
  changed_.wait_until(lock, in_patience(Clock::now() + backoff_.next()), [&] { return leaving(); });
  if (options_.patience.count() == 0 || leaving() || goodbye_until_) return;
  if (Clock::now() < alone_since_ + options_.patience) return;
  const auto seconds = std::chrono::duration<double>(options_.patience).count();
  out_of_patience_ = true;
  end_ = failure("no answer for " + to_text(seconds) + " s (the last attempt: " + why_ + ")",
                 kExpectedServer);
}

Connection::Clock::time_point Connection::in_patience(Clock::time_point time) const {
  if (goodbye_until_) return std::min(time, *goodbye_until_);
  if (options_.patience.count() == 0) return time;
  return std::min(time, alone_since_ + options_.patience);
}

Error Connection::failure(const std::string& what, const std::string& expected) const {
  return network_error("server " + options_.server.text(), what, expected);
}

void Connection::finish(std::unique_lock<std::mutex>& lock) {
  const Status end = *end_;
  const std::string why = end.ok() ? why_ : end.error().line();
  lock.unlock();
  tell(end.ok() ? ConnectionState::over : ConnectionState::failed, why);
  if (events_.on_end) events_.on_end(end);
}

void Connection::tell(ConnectionState state, const std::string& why) {
  if (state == told_) return;
  told_ = state;
  if (events_.on_state) events_.on_state(state, why);
}

// --- on gRPC's threads ---

void Connection::receive(const v1::ServerMessage& message) {
  bytes_down_ += bytes_of(message);
  if (message.has_welcome()) {
    welcome(message.welcome());
  } else if (message.has_assignment()) {
    if (events_.on_assignment) check(events_.on_assignment(decode(message.assignment())));
  } else if (message.has_refusal()) {
    refuse(message.refusal());
  } else if (message.has_end()) {
    const std::lock_guard lock(mutex_);
    why_ = message.end().why();
    heard_end_ = true;
    changed_.notify_all();
  }  // other messages are from a later version and need no answer
}

void Connection::welcome(const v1::Welcome& message) {
  const auto record = decode(message);
  if (!record.ok()) return check(record.error());
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
  ++streams_;
  tell(ConnectionState::connected, options_.server.text());
  if (events_.on_welcome) check(events_.on_welcome(*record));
  say_ready();
}

void Connection::refuse(const v1::Refusal& refusal) {
  if (refusal.batch() > 0) {
    if (events_.on_refusal) events_.on_refusal(refusal.batch(), refusal.why());
    return;
  }
  const std::lock_guard lock(mutex_);
  why_ = refusal.why();
  if (refusal.final()) end_with("refuses: " + why_);
  changed_.notify_all();
}

void Connection::check(const Status& status) {
  if (status.ok()) return;
  const std::lock_guard lock(mutex_);
  if (!end_) end_ = status;
  changed_.notify_all();
}

/// The caller holds mutex_. A client that has heard the end has not failed.
void Connection::end_with(const std::string& why) {
  if (!end_) end_ = goodbye_until_ ? Status(Done{}) : Status(failure(why));
  changed_.notify_all();
}

// --- on any thread ---

/// Holds the lock while it sends: another thread may have a report for the previous stream, and the
/// server refuses a report before the Ready.
void Connection::say_ready() {
  const std::lock_guard lock(mutex_);
  if (!ready_ || !welcomed_ || said_ready_ || leaving()) return;
  said_ready_ = true;
  v1::ClientMessage message;
  encode(*ready_, *message.mutable_ready());
  if (stream_) stream_->send(std::move(message));
}

std::shared_ptr<ClientStream> Connection::open_stream() {
  const std::lock_guard lock(mutex_);
  return said_ready_ && !leaving() ? stream_ : nullptr;
}

}  // namespace caucus::wire
