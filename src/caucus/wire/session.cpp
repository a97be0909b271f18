#include "caucus/wire/session.hpp"

#include <grpcpp/security/auth_context.h>

#include <utility>

#include "caucus/wire/codec.hpp"

namespace caucus::wire {
namespace {

// Messages beyond one for each assignment: a Hello, a Ready, and what later versions may say.
constexpr std::uint64_t kSpareMessages = 1000;
// From one assignment to the next, in a federation that is in a hurry.
constexpr std::chrono::milliseconds kBrisk{20};

}  // namespace

Session::Session(grpc::CallbackServerContext* context, Connections::Stream stream,
                 const Doorway& doorway)
    : context_(context), stream_(std::move(stream)), doorway_(&doorway) {}

void Session::begin() {
  self_ = shared_from_this();
  StartRead(&incoming_);
}

bool Session::is_known() {
  const std::lock_guard lock(mutex_);
  return greeted_ || done_;
}

void Session::hurry(std::chrono::milliseconds limit) {
  const std::lock_guard lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  if (now >= begun_ + limit) {
    finish_stranger({grpc::StatusCode::DEADLINE_EXCEEDED, "expected a Hello sooner"});
  }
  // Whoever takes nothing in could keep what it is to be told, and the stream with it, for ever.
  if (end_ && !done_ && now >= ended_ + limit) context_->TryCancel();
  read_on();  // the others take their time; this one may want to go
}

void Session::turn_out() {
  const std::lock_guard lock(mutex_);
  if (end_ && !done_) context_->TryCancel();  // it has been told to go and did not
  finish_stranger({grpc::StatusCode::RESOURCE_EXHAUSTED, "too many streams are open"});
}

void Session::finish_stranger(grpc::Status status) {
  if (greeted_ || end_) return;
  set_end(std::move(status));
  finish_if_idle();
}

void Session::set_end(grpc::Status status) {
  end_ = std::move(status);
  ended_ = std::chrono::steady_clock::now();
}

// --- reading ---

void Session::OnReadDone(bool ok) {
  if (ok) {
    up_ += bytes_of(incoming_);
    const std::lock_guard lock(mutex_);
    spoken_ = false;
  }
  if (ok && receive()) {
    const std::lock_guard lock(mutex_);
    if (!finished_) {  // after Finish nothing may be started
      resting_ = true;
      if (!may_rest()) read_on();
      return;
    }
  }
  incoming_.Clear();  // whoever does not go keeps no more than the stream
  leave();
  finish(grpc::Status::OK);
}

/// Whoever has answered has no more to say until it is asked again. Reading only then saves a
/// packet each way: that the other side may send more goes with the assignment, not before it by
/// itself.
bool Session::may_rest() const {
  const bool answered = incoming_.has_report() && incoming_.report().batch() == asked_;
  return answered && brisk_ && !spoken_;
}

void Session::read_on() {
  if (!resting_ || finished_) return;
  resting_ = false;
  StartRead(&incoming_);
}

bool Session::says_too_much() {
  const std::lock_guard lock(mutex_);
  return ++messages_ > assigned_ + kSpareMessages;
}

bool Session::receive() {
  if (says_too_much()) {
    turn_away("more messages than were asked for", false);
    return false;
  }
  if (incoming_.has_hello()) return greet(incoming_.hello());
  if (!client_) {
    turn_away("expected a Hello first", true);
    return false;
  }
  if (incoming_.has_ready()) {
    if (std::exchange(ready_, true)) {
      turn_away("a second Ready", true);
      return false;
    }
    const auto status = doorway_->host->ready(*client_, *this, decode(incoming_.ready()));
    if (!status.ok()) turn_away(status.error().line(), true);
    return status.ok();
  }
  if (incoming_.has_goodbye()) {
    doorway_->host->goodbye(*client_, *this);
    return false;
  }
  if (!incoming_.has_report()) return true;  // of a later version; it can do without an answer
  if (!ready_) {
    turn_away("expected a Ready first", true);
    return false;
  }
  doorway_->host->report(*client_, *this, decode(incoming_.report()));
  return true;
}

bool Session::greet(const v1::Hello& message) {
  if (client_) {
    turn_away("a second Hello", true);
    return false;
  }
  auto hello = decode(message);
  if (!hello.ok()) {
    turn_away(hello.error().line(), true);
    return false;
  }
  if (hello->protocol != kProtocol) {
    turn_away(
        "protocol " + std::to_string(hello->protocol) + "; expected " + std::to_string(kProtocol),
        true);
    return false;
  }
  if (const auto why = impostor(*hello)) {
    write_log(doorway_->log, LogLevel::warning, "refused",
              {{"client", hello->client}, {"peer", context_->peer()}, {"why", *why}});
    turn_away(*why, true);
    return false;
  }
  {
    const std::lock_guard lock(mutex_);
    if (end_) return false;  // too late
    greeted_ = true;
  }
  hello->token.clear();
  const auto client = doorway_->host->join(*hello, shared_from_this());
  if (!client.ok()) {
    {
      const std::lock_guard lock(mutex_);
      greeted_ = false;
    }
    const Error& error = client.error();
    write_log(doorway_->log, LogLevel::warning, "refused",
              {{"client", hello->client}, {"peer", context_->peer()}, {"why", error.line()}});
    turn_away(error.line(), error.kind != ErrorKind::network);
    return false;
  }
  client_ = *client;
  stream_.is_of_client();
  return true;
}

std::optional<std::string> Session::impostor(const HelloRecord& hello) const {
  if (doorway_->certificates) {
    const auto names = context_->auth_context()->FindPropertyValues(GRPC_X509_CN_PROPERTY_NAME);
    if (names.size() != 1 || std::string_view(names[0].data(), names[0].size()) != hello.client) {
      return "its certificate is of another name; expected one whose common name is the client's";
    }
  }
  if (doorway_->tokens != nullptr && !doorway_->tokens->allows(hello.client, hello.token)) {
    return "its name and token do not belong together; expected the token of this client";
  }
  return std::nullopt;
}

void Session::turn_away(const std::string& why, bool final) {
  v1::ServerMessage message;
  message.mutable_refusal()->set_why(why);
  message.mutable_refusal()->set_final(final);
  send(std::move(message));
}

void Session::leave() {
  if (client_) doorway_->host->leave(*client_, *this);
}

// --- writing ---

void Session::send(v1::ServerMessage message) {
  const std::lock_guard lock(mutex_);
  waiting_.push_back(std::move(message));
  write_next();
}

void Session::write_next() {
  if (writing_ || finished_) return;
  if (!waiting_.empty()) {
    outgoing_ = std::move(waiting_.front());
    waiting_.pop_front();
  } else if (assignment_) {
    outgoing_ = std::move(*assignment_);
    assignment_.reset();
  } else {
    return finish_if_idle();
  }
  write_outgoing();
}

void Session::write_outgoing() {
  down_ += bytes_of(outgoing_);
  writing_ = true;
  StartWrite(&outgoing_);
  spoken_ = true;
  read_on();
}

void Session::OnWriteDone(bool ok) {
  const std::lock_guard lock(mutex_);
  writing_ = false;
  if (!ok) {  // the client is gone: reading, or the stream's end, will tell the host
    waiting_.clear();
    assignment_.reset();
  }
  write_next();
}

void Session::finish(grpc::Status status) {
  const std::lock_guard lock(mutex_);
  if (!end_) set_end(std::move(status));
  finish_if_idle();
}

void Session::finish_if_idle() {
  if (!end_ || finished_ || writing_ || !waiting_.empty()) return;
  finished_ = true;
  if (resting_) incoming_.Clear();  // nothing more is read, and it may take a while to go
  Finish(*end_);
}

void Session::OnCancel() {
  // The stream is broken: a read that waits for the client would do so for ever.
  finish(grpc::Status::CANCELLED);
}

void Session::OnDone() {
  const auto self = std::move(self_);  // the host may hold it too, or nobody
  leave();                             // if it was not read that the client is gone
  stream_.end();
  const std::lock_guard lock(mutex_);
  done_ = true;
}

// --- the host's answers ---

void Session::welcome(const WelcomeRecord& welcome) {
  v1::ServerMessage message;
  encode(welcome, *message.mutable_welcome());
  send(std::move(message));
}

void Session::assign(std::uint64_t batch, std::uint64_t durable, const Assignment& assignment) {
  const std::lock_guard lock(mutex_);
  ++assigned_;
  const auto now = std::chrono::steady_clock::now();
  brisk_ = now < std::exchange(asked_at_, now) + kBrisk;
  asked_ = batch;
  // Straight into the message that goes out, whose memory is there, if nothing is before it.
  const bool at_once = !writing_ && !finished_ && waiting_.empty();
  v1::ServerMessage& message = at_once ? outgoing_ : assignment_.emplace();
  encode(batch, durable, assignment, *message.mutable_assignment());
  if (!at_once) return;
  assignment_.reset();
  write_outgoing();
}

void Session::refuse(std::uint64_t batch, const std::string& why) {
  v1::ServerMessage message;
  message.mutable_refusal()->set_batch(batch);
  message.mutable_refusal()->set_why(why);
  send(std::move(message));
}

void Session::cut(const std::string& why) {
  turn_away(why, true);
  finish({grpc::StatusCode::PERMISSION_DENIED, "cut off"});
}

void Session::end(const std::string& why) {
  {
    const std::lock_guard lock(mutex_);
    brisk_ = false;  // it will not be asked again
  }
  v1::ServerMessage message;
  message.mutable_end()->set_why(why);
  send(std::move(message));
}

Traffic Session::take_traffic() { return {up_.exchange(0), down_.exchange(0)}; }

void Session::close() { finish({grpc::StatusCode::UNAVAILABLE, "the server goes down"}); }

}  // namespace caucus::wire
