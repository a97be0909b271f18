#include "caucus/wire/status_session.hpp"

namespace caucus::wire {

void StatusSession::begin() {
  self_ = shared_from_this();
  StartRead(&request_);
}

bool StatusSession::is_known() {
  const std::lock_guard lock(mutex_);
  return done_;
}

void StatusSession::hurry(std::chrono::milliseconds limit) {
  const std::lock_guard lock(mutex_);
  if (!done_ && std::chrono::steady_clock::now() >= begun_ + limit) context_->TryCancel();
}

void StatusSession::turn_out() {
  {
    const std::lock_guard lock(mutex_);
    if (finished_ && !done_) context_->TryCancel();  // its other end does not let it end
  }
  finish({grpc::StatusCode::RESOURCE_EXHAUSTED, "too many streams are open"});
}

bool StatusSession::may_ask() const {
  return tokens_ == nullptr || tokens_->allows(request_.client(), request_.token());
}

void StatusSession::OnReadDone(bool ok) {
  if (!ok) return finish({grpc::StatusCode::INVALID_ARGUMENT, "expected a question"});
  if (!may_ask()) {
    return finish({grpc::StatusCode::PERMISSION_DENIED,
                   "expected the name and the token of one of its clients"});
  }
  if (status_) reply_.set_json(status_());
  const std::lock_guard lock(mutex_);
  if (finished_) return;
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
  stream_.end();
  const std::lock_guard lock(mutex_);
  done_ = true;
}

}  // namespace caucus::wire
