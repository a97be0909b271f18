#include "caucus/network/wire/session.hpp"

#include <grpcpp/security/auth_context.h>

#include <utility>

#include "caucus/network/wire/codec.hpp"

namespace caucus::wire {
namespace {

// What gRPC puts in front of a message.
constexpr std::size_t kFrame = 5;

}  // namespace

Session::Session(grpc::CallbackServerContext* context, const Doorway& doorway)
    : context_(context), doorway_(&doorway) {}

void Session::begin() {
  self_ = shared_from_this();
  StartRead(&incoming_);
}

bool Session::is_known() {
  const std::lock_guard lock(mutex_);
  return greeted_ || end_.has_value();
}

void Session::hurry() {
  finish_stranger({grpc::StatusCode::DEADLINE_EXCEEDED, "expected a Hello sooner"});
}

void Session::turn_out() {
  finish_stranger({grpc::StatusCode::RESOURCE_EXHAUSTED, "too many streams are open"});
}

void Session::finish_stranger(grpc::Status status) {
  const std::lock_guard lock(mutex_);
  if (greeted_ || end_) return;
  end_ = std::move(status);
  finish_if_idle();
}

// --- reading ---

void Session::OnReadDone(bool ok) {
  if (ok && receive()) {
    const std::lock_guard lock(mutex_);
    if (!finished_) {  // after Finish nothing may be started
      StartRead(&incoming_);
      return;
    }
  }
  leave();
  finish(grpc::Status::OK);
}

bool Session::receive() {
  if (incoming_.has_hello()) return greet(incoming_.hello());
  if (!client_) {
    turn_away("expected a Hello first", true);
    return false;
  }
  if (incoming_.has_ready()) {
    const auto status = doorway_->host->ready(*client_, *this, decode(incoming_.ready()));
    if (!status.ok()) turn_away(status.error().line(), true);
    return status.ok();
  }
  if (!incoming_.has_report()) return true;  // of a later version; it can do without an answer
  const std::size_t bytes = incoming_.ByteSizeLong() + kFrame;
  doorway_->host->report(*client_, *this, decode(incoming_.report()), bytes);
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
    const Error& error = client.error();
    write_log(doorway_->log, LogLevel::warning, "refused",
              {{"client", hello->client}, {"peer", context_->peer()}, {"why", error.line()}});
    turn_away(error.line(), error.kind != ErrorKind::network);
    return false;
  }
  client_ = *client;
  return true;
}

std::optional<std::string> Session::impostor(const HelloRecord& hello) const {
  if (doorway_->certificates) {
    const auto names = context_->auth_context()->FindPropertyValues(GRPC_X509_CN_PROPERTY_NAME);
    if (names.size() != 1 || std::string_view(names[0].data(), names[0].size()) != hello.client) {
      return "its certificate is of another name";
    }
  }
  if (doorway_->tokens != nullptr && !doorway_->tokens->allows(hello.client, hello.token)) {
    return "its name and token do not belong together";
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

std::size_t Session::send(v1::ServerMessage message) {
  const std::size_t bytes = message.ByteSizeLong() + kFrame;
  const std::lock_guard lock(mutex_);
  waiting_.push_back(std::move(message));
  write_next();
  return bytes;
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
  writing_ = true;
  StartWrite(&outgoing_);
}

void Session::OnWriteDone(bool ok) {
  const std::lock_guard lock(mutex_);
  writing_ = false;
  if (!ok) {  // the client is gone: reading will tell the host
    waiting_.clear();
    assignment_.reset();
  }
  write_next();
}

void Session::finish(grpc::Status status) {
  const std::lock_guard lock(mutex_);
  if (!end_) end_ = std::move(status);
  finish_if_idle();
}

void Session::finish_if_idle() {
  if (!end_ || finished_ || writing_ || !waiting_.empty()) return;
  finished_ = true;
  Finish(*end_);
}

void Session::OnCancel() {
  // The stream is broken: a read that waits for the client would do so for ever.
  finish(grpc::Status::CANCELLED);
}

void Session::OnDone() {
  self_.reset();  // the host may still hold it
}

// --- the host's answers ---

std::size_t Session::welcome(const WelcomeRecord& welcome) {
  v1::ServerMessage message;
  encode(welcome, *message.mutable_welcome());
  return send(std::move(message));
}

std::size_t Session::assign(std::uint64_t batch, std::uint64_t durable,
                            const Assignment& assignment) {
  const std::lock_guard lock(mutex_);
  // Straight into the message that goes out, whose memory is there, if nothing is before it.
  const bool now = !writing_ && !finished_ && waiting_.empty();
  v1::ServerMessage& message = now ? outgoing_ : assignment_.emplace();
  encode(batch, durable, assignment, *message.mutable_assignment());
  const std::size_t bytes = message.ByteSizeLong() + kFrame;
  if (now) {
    assignment_.reset();
    write_outgoing();
  }
  return bytes;
}

std::size_t Session::refuse(std::uint64_t batch, const std::string& why) {
  v1::ServerMessage message;
  message.mutable_refusal()->set_batch(batch);
  message.mutable_refusal()->set_why(why);
  return send(std::move(message));
}

void Session::cut(const std::string& why) {
  turn_away(why, true);
  finish({grpc::StatusCode::PERMISSION_DENIED, "cut off"});
}

void Session::end(const std::string& why) {
  v1::ServerMessage message;
  message.mutable_end()->set_why(why);
  send(std::move(message));
  finish(grpc::Status::OK);
}

void Session::close() { finish({grpc::StatusCode::UNAVAILABLE, "the server goes down"}); }

}  // namespace caucus::wire
