#include "caucus/wire/connection.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "caucus/core/base/text.hpp"
#include "caucus/wire/channel.hpp"

namespace caucus::wire {
namespace {

constexpr std::chrono::milliseconds kFlushTimeout{1000};          // to send waiting messages
constexpr std::chrono::milliseconds kAcknowledgeTimeout{10'000};  // to acknowledge the end
constexpr std::chrono::milliseconds kWelcomeTimeout{10'000};      // then it opens another stream
/// The backoff starts again from its shortest time after a stream that lasted this long.
constexpr std::chrono::milliseconds kSteady{1000};

}  // namespace

Connection::Connection(ConnectionOptions options, ConnectionEvents events)
    : options_(std::move(options)),
      events_(std::move(events)),
      backoff_(std::hash<std::string>{}(options_.hello.client) ^
               static_cast<std::uint64_t>(Clock::now().time_since_epoch().count())) {}

Connection::~Connection() { stop(); }

void Connection::start() {
  thread_ = std::thread([this] { run(); });
}

void Connection::ready(const ReadyRecord& ready) {
  {
    const std::lock_guard lock(mutex_);
    ready_ = ready;
  }
  send_ready();
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

void Connection::run() {
  disconnected_since_ = Clock::now();
  set_state(ConnectionState::connecting, options_.server.text());
  while (true) {
    const auto started = Clock::now();
    const grpc::Status status = run_stream();
    std::unique_lock lock(mutex_);
    if (welcomed_) disconnected_since_ = Clock::now();
    if (welcomed_ && disconnected_since_ - started > kSteady) backoff_.reset();
    // The server ends the stream without an error once the acknowledgement is stored.
    const bool acknowledged = end_received_ && status.ok();
    if (!result_ && acknowledge_until_ && (acknowledged || Clock::now() >= *acknowledge_until_)) {
      result_ = Done{};
    }
    if (!result_ && why_.empty()) why_ = text_of(status);
    if (!result_ && streams_ == 0 && is_hopeless(status)) result_ = failure(why_, kExpectedServer);
    if (!is_ending()) {
      const std::string why = why_;
      lock.unlock();
      set_state(ConnectionState::disconnected, why);
      lock.lock();
      wait_before_retry(lock);
    }
    if (stopping_) return;
    if (result_) return finish(lock);
  }
}

grpc::Status Connection::run_stream() {
  auto channel = make_channel(options_.server, options_.tls);
  const auto stream = std::make_shared<ClientStream>(
      channel, [this](const v1::ServerMessage& message) { receive(message); },
      [this](const grpc::Status& status) {
        const std::lock_guard lock(mutex_);
        stream_status_ = status;
        changed_.notify_all();
      },
      bytes_up_);
  v1::ClientMessage hello;
  encode(options_.hello, *hello.mutable_hello());
  {
    const std::lock_guard lock(mutex_);
    stream_ = stream;
    welcomed_ = ready_sent_ = end_received_ = false;
    stream_status_.reset();
    why_.clear();
  }
  stream->start(std::move(hello));
  channel_ = std::move(channel);  // closes the older one only now, so that gRPC keeps its threads

  std::unique_lock lock(mutex_);
  const auto ended = [&] { return stream_status_ || is_ending() || end_received_; };
  changed_.wait_until(lock, capped(Clock::now() + kWelcomeTimeout),
                      [&] { return ended() || welcomed_; });
  if (welcomed_) changed_.wait(lock, ended);
  if (end_received_) acknowledge_end(*stream, lock);
  if (!stream_status_ && (is_ending() || end_received_)) {
    close_stream(*stream, lock);
  } else if (!stream_status_) {
    why_ = "no answer";
  }
  if (!stream_status_) {
    lock.unlock();
    stream->cancel();
    lock.lock();
    changed_.wait(lock, [&] { return stream_status_.has_value(); });
  }
  stream_.reset();
  return *stream_status_;
}

void Connection::acknowledge_end(ClientStream& stream, std::unique_lock<std::mutex>& lock) {
  const bool first = !acknowledge_until_;
  if (first) acknowledge_until_ = Clock::now() + kAcknowledgeTimeout;
  lock.unlock();
  if (first && events_.on_finished) events_.on_finished();
  v1::ClientMessage message;
  message.mutable_goodbye();
  stream.send(std::move(message));
  lock.lock();
}

void Connection::close_stream(ClientStream& stream, std::unique_lock<std::mutex>& lock) {
  if (!welcomed_ && !result_ && !end_received_) return;  // the server has not answered
  lock.unlock();
  stream.close();
  lock.lock();
  changed_.wait_until(lock, end_received_ ? *acknowledge_until_ : Clock::now() + kFlushTimeout,
                      [&] { return stream_status_.has_value(); });
}

void Connection::wait_before_retry(std::unique_lock<std::mutex>& lock) {
  changed_.wait_until(lock, capped(Clock::now() + backoff_.next()), [&] { return is_ending(); });
  if (options_.patience.count() == 0 || is_ending() || acknowledge_until_) return;
  if (Clock::now() < disconnected_since_ + options_.patience) return;
  const auto seconds = std::chrono::duration<double>(options_.patience).count();
  out_of_patience_ = true;
  result_ = failure("no answer for " + to_text(seconds) + " s (the last attempt: " + why_ + ")",
                    kExpectedServer);
}

Connection::Clock::time_point Connection::capped(Clock::time_point time) const {
  if (acknowledge_until_) return std::min(time, *acknowledge_until_);
  if (options_.patience.count() == 0) return time;
  return std::min(time, disconnected_since_ + options_.patience);
}

Error Connection::failure(const std::string& what, const std::string& expected) const {
  return network_error("server " + options_.server.text(), what, expected);
}

void Connection::finish(std::unique_lock<std::mutex>& lock) {
  const Status end = *result_;
  const std::string why = end.ok() ? why_ : end.error().line();
  lock.unlock();
  set_state(end.ok() ? ConnectionState::finished : ConnectionState::failed, why);
  if (events_.on_end) events_.on_end(end);
}

void Connection::set_state(ConnectionState state, const std::string& why) {
  if (state == state_) return;
  state_ = state;
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
    receive(message.refusal());
  } else if (message.has_end()) {
    const std::lock_guard lock(mutex_);
    why_ = message.end().why();
    end_received_ = true;
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
  set_state(ConnectionState::connected, options_.server.text());
  if (events_.on_welcome) check(events_.on_welcome(*record));
  send_ready();
}

void Connection::receive(const v1::Refusal& refusal) {
  if (refusal.batch() > 0) {
    if (events_.on_rejected) events_.on_rejected(refusal.batch(), refusal.why());
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
  if (!result_) result_ = status;
  changed_.notify_all();
}

/// The caller holds mutex_. A client that has received the End has not failed.
void Connection::end_with(const std::string& why) {
  if (!result_) result_ = acknowledge_until_ ? Status(Done{}) : Status(failure(why));
  changed_.notify_all();
}

// --- on any thread ---

/// Holds the lock while it sends: another thread may send a report for the previous stream, and the
/// server rejects a report before the Ready.
void Connection::send_ready() {
  const std::lock_guard lock(mutex_);
  if (!ready_ || !welcomed_ || ready_sent_ || is_ending()) return;
  ready_sent_ = true;
  v1::ClientMessage message;
  encode(*ready_, *message.mutable_ready());
  if (stream_) stream_->send(std::move(message));
}

std::shared_ptr<ClientStream> Connection::open_stream() {
  const std::lock_guard lock(mutex_);
  return ready_sent_ && !is_ending() ? stream_ : nullptr;
}

}  // namespace caucus::wire
