#include "caucus/wire/session.hpp"

#include <grpcpp/security/auth_context.h>

#include <utility>

#include "caucus/wire/codec.hpp"

namespace caucus::wire {
namespace {

// Messages beyond one for each assignment: a Hello, a Ready, and those of later versions.
constexpr std::uint64_t kSpareMessages = 1000;
// Messages of a stream that may wait for the host. An honest client waits for an answer before it
// sends the next.
constexpr std::size_t kMostUnhandled = 4;

}  // namespace

Session::Session(grpc::CallbackServerContext* context, std::shared_ptr<const SessionContext> shared)
    : context_(context), shared_(std::move(shared)) {}

void Session::start() {
  self_ = shared_from_this();
  StartRead(&incoming_);
}

bool Session::is_pending() {
  const std::lock_guard lock(mutex_);
  return !welcomed_ && !done_;
}

void Session::check_timeout(std::chrono::milliseconds limit) {
  const std::lock_guard lock(mutex_);
  const auto now = std::chrono::steady_clock::now();
  if (!welcomed_ && now >= started_ + limit) {
    close_locked({grpc::StatusCode::DEADLINE_EXCEEDED,
                  unhandled_ > 0 ? "the server is too busy" : "expected a Hello sooner"});
  }
  // A client that reads nothing could keep the stream open for ever.
  if (final_status_ && !done_ && now >= closing_since_ + limit) context_->TryCancel();
}

void Session::evict() {
  const std::lock_guard lock(mutex_);
  if (final_status_ && !done_) context_->TryCancel();
  if (!welcomed_) close_locked({grpc::StatusCode::RESOURCE_EXHAUSTED, "too many streams are open"});
}

void Session::close_locked(grpc::Status status) {
  if (!final_status_) {
    final_status_ = std::move(status);
    closing_since_ = std::chrono::steady_clock::now();
  }
  finish_if_idle();
}

// --- reading ---

void Session::OnReadDone(bool ok) {
  if (ok) up_ += bytes_of(incoming_);
  if (ok && receive()) {
    const std::lock_guard lock(mutex_);
    if (finished_) return;  // after Finish nothing may be started
    paused_ = unhandled_ >= kMostUnhandled;
    if (!paused_) StartRead(&incoming_);
    return;
  }
  incoming_.Clear();  // the stream may stay open for a while
  if (ok) return;     // the host or the refusal closes the stream
  notify_disconnected();
  close();
}

void Session::message_handled() {
  const std::lock_guard lock(mutex_);
  --unhandled_;
  if (!std::exchange(paused_, false) || finished_) return;
  StartRead(&incoming_);
}

bool Session::violation(const std::string& why, bool final) {
  notify_disconnected();
  send_refusal(0, why, final);
  close();
  return false;
}

bool Session::receive() {
  bool too_many = false;
  {
    const std::lock_guard lock(mutex_);
    too_many = ++messages_ > assigned_ + kSpareMessages;
  }
  if (too_many) return violation("more messages than were asked for", false);
  if (incoming_.has_hello()) return receive_hello(incoming_.hello());
  if (name_.empty()) return violation("expected a Hello first");
  const bool is_ready = incoming_.has_ready();
  const bool is_goodbye = incoming_.has_goodbye();
  if (!is_ready && !is_goodbye && !incoming_.has_report()) return true;  // from a later version
  if (is_ready && std::exchange(ready_, true)) return violation("a second Ready");
  if (!is_goodbye && !ready_) return violation("expected a Ready first");
  {
    const std::lock_guard lock(mutex_);
    ++unhandled_;
  }
  Host& host = *shared_->host;
  if (is_ready) {
    host.ready(shared_from_this(), decode(incoming_.ready()));
  } else if (is_goodbye) {
    host.goodbye(shared_from_this());
  } else {
    host.report(shared_from_this(), decode(incoming_.report()));
  }
  return !is_goodbye;
}

bool Session::receive_hello(const v1::Hello& message) {
  if (!name_.empty()) return violation("a second Hello");
  auto hello = decode(message);
  if (!hello.ok()) return violation(hello.error().line());
  if (hello->protocol != kProtocol) {
    return violation("protocol " + std::to_string(hello->protocol) + "; expected " +
                     std::to_string(kProtocol));
  }
  name_ = hello->client;
  peer_ = context_->peer();
  if (const auto why = identity_fault(*hello)) {
    refuse(*why, true);
    return false;
  }
  hello->token.clear();
  {
    const std::lock_guard lock(mutex_);
    if (final_status_) return false;  // the stream was evicted
    ++unhandled_;
  }
  shared_->host->join(std::move(*hello), shared_from_this());
  return true;
}

std::optional<std::string> Session::identity_fault(const HelloRecord& hello) const {
  const ServerOptions& options = shared_->options;
  if (options.keys && !options.keys->client_authority.empty()) {
    const auto names = context_->auth_context()->FindPropertyValues(GRPC_X509_CN_PROPERTY_NAME);
    if (names.size() != 1 || std::string_view(names[0].data(), names[0].size()) != hello.client) {
      return "its certificate has another name; expected the client's name as its common name";
    }
  }
  if (options.tokens && !options.tokens->allows(hello.client, hello.token)) {
    return "its name and token do not belong together; expected the token of this client";
  }
  return std::nullopt;
}

void Session::notify_disconnected() {
  if (name_.empty() || std::exchange(disconnected_, true)) return;
  shared_->host->disconnected(shared_from_this());
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
  down_ += bytes_of(outgoing_);
  writing_ = true;
  StartWrite(&outgoing_);
}

void Session::OnWriteDone(bool ok) {
  const std::lock_guard lock(mutex_);
  writing_ = false;
  if (!ok) {  // the client is gone, and OnReadDone will tell the host
    waiting_.clear();
    assignment_.reset();
  }
  write_next();
}

void Session::close_with(grpc::Status status) {
  const std::lock_guard lock(mutex_);
  close_locked(std::move(status));
}

void Session::finish_if_idle() {
  if (!final_status_ || finished_ || writing_ || !waiting_.empty()) return;
  finished_ = true;
  Finish(*final_status_);
}

void Session::OnCancel() {
  // The stream is broken: a read that waits for the client would wait for ever.
  close_with(grpc::Status::CANCELLED);
}

void Session::OnDone() {
  const auto self = std::move(self_);  // the host may own it too
  notify_disconnected();
  const std::lock_guard lock(mutex_);
  done_ = true;
}

// --- the host's answers ---

void Session::welcome(const WelcomeRecord& welcome) {
  {
    const std::lock_guard lock(mutex_);
    welcomed_ = true;
  }
  v1::ServerMessage message;
  encode(welcome, *message.mutable_welcome());
  send(std::move(message));
}

void Session::assign(std::uint64_t batch, std::uint64_t durable, const Assignment& assignment) {
  const std::lock_guard lock(mutex_);
  ++assigned_;
  encode(batch, durable, assignment, *assignment_.emplace().mutable_assignment());
  write_next();
}

void Session::send_refusal(std::uint64_t batch, const std::string& why, bool final) {
  v1::ServerMessage message;
  message.mutable_refusal()->set_batch(batch);
  message.mutable_refusal()->set_why(why);
  message.mutable_refusal()->set_final(final);
  send(std::move(message));
}

void Session::reject_report(std::uint64_t batch, const std::string& why) {
  send_refusal(batch, why, false);
}

void Session::refuse(const std::string& why, bool final) {
  write_log(shared_->options.log, LogLevel::warning, "refused",
            {{"client", name_}, {"peer", peer_}, {"why", why}});
  send_refusal(0, why, final);
  close();
}

void Session::disconnect(const std::string& why) {
  send_refusal(0, why, true);
  close_with({grpc::StatusCode::PERMISSION_DENIED, "cut off"});
}

void Session::send_end(const std::string& why) {
  v1::ServerMessage message;
  message.mutable_end()->set_why(why);
  send(std::move(message));
}

void Session::close() { close_with(grpc::Status::OK); }

Traffic Session::take_traffic() { return {up_.exchange(0), down_.exchange(0)}; }

void Session::shut_down() { close_with({grpc::StatusCode::UNAVAILABLE, "the server shuts down"}); }

}  // namespace caucus::wire
