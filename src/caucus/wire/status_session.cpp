#include "caucus/wire/status_session.hpp"

#include <utility>

namespace caucus::wire {

void StatusSession::begin() {
  self_ = shared_from_this();
  StartRead(&request_);
}

bool StatusSession::is_pending() {
  const std::lock_guard lock(mutex_);
  return !done_;
}

void StatusSession::check_timeout(std::chrono::milliseconds limit) {
  if (std::chrono::steady_clock::now() >= begun_ + limit) evict();
}

void StatusSession::evict() {
  const std::lock_guard lock(mutex_);
  if (!done_) context_->TryCancel();
}

bool StatusSession::may_ask() const {
  const TokenFile* tokens = shared_->tokens;
  return tokens == nullptr || tokens->allows(request_.client(), request_.token());
}

void StatusSession::OnReadDone(bool ok) {
  if (!ok) return finish({grpc::StatusCode::INVALID_ARGUMENT, "expected a request"});
  if (!may_ask()) {
    return finish({grpc::StatusCode::PERMISSION_DENIED,
                   "expected the name and the token of one of its clients"});
  }
  if (!shared_->status) return reply({});
  shared_->host->post_status([self = shared_from_this()](const HostStatus& status) {
    self->reply(self->shared_->status(status));
  });
}

void StatusSession::reply(std::string json) {
  const std::lock_guard lock(mutex_);
  if (finished_) return;
  reply_.set_json(std::move(json));
  finished_ = true;
  StartWriteAndFinish(&reply_, {}, grpc::Status::OK);
}

void StatusSession::OnCancel() { finish(grpc::Status::CANCELLED); }

void StatusSession::finish(const grpc::Status& status) {
  const std::lock_guard lock(mutex_);
  if (finished_) return;
  finished_ = true;
  Finish(status);
}

void StatusSession::OnDone() {
  const auto self = std::move(self_);
  const std::lock_guard lock(mutex_);
  done_ = true;
}

}  // namespace caucus::wire
