#include "caucus/wire/client_stream.hpp"

#include <utility>

#include "caucus/wire/codec.hpp"

namespace caucus::wire {

ClientStream::ClientStream(const std::shared_ptr<grpc::Channel>& channel, Receive receive,
                           Done done, std::atomic<std::uint64_t>& bytes)
    : stub_(v1::Federation::NewStub(channel)),
      receive_(std::move(receive)),
      done_(std::move(done)),
      bytes_(bytes) {}

void ClientStream::begin(v1::ClientMessage hello) {
  stub_->async()->Join(&context_, this);
  AddHold();  // writes come from any thread; removed when the reading has ended
  write(std::move(hello));
  StartRead(&incoming_);
  StartCall();
}

// --- reading ---

void ClientStream::OnReadDone(bool ok) {
  if (ok) {
    receive_(incoming_);
    StartRead(&incoming_);
    return;
  }
  const std::lock_guard lock(mutex_);
  broken_ = true;
  RemoveHold();
}

// --- writing ---

void ClientStream::send(v1::ClientMessage message) {
  const std::lock_guard lock(mutex_);
  if (broken_ || closing_) return;
  waiting_.push_back(std::move(message));
  write_next();
}

void ClientStream::report(const ReportRecord& report) {
  const std::lock_guard lock(mutex_);
  if (broken_ || closing_) return;
  // Straight into the message that goes out, whose memory is there, if nothing is before it.
  const bool now = !writing_ && waiting_.empty();
  encode(report, *(now ? outgoing_ : report_.emplace()).mutable_report());
  if (!now) return;
  report_.reset();
  write_outgoing();
}

void ClientStream::close() {
  const std::lock_guard lock(mutex_);
  closing_ = true;
  write_next();
}

void ClientStream::write_next() {
  if (writing_ || broken_ || closed_) return;
  if (!waiting_.empty()) {
    write(std::move(waiting_.front()));
    waiting_.pop_front();
  } else if (report_) {
    write(std::move(*report_));
    report_.reset();
  } else if (closing_) {
    closed_ = true;
    StartWritesDone();
  }
}

void ClientStream::write(v1::ClientMessage message) {
  outgoing_ = std::move(message);
  write_outgoing();
}

void ClientStream::write_outgoing() {
  bytes_ += bytes_of(outgoing_);
  writing_ = true;
  StartWrite(&outgoing_);
}

void ClientStream::OnWriteDone(bool ok) {
  const std::lock_guard lock(mutex_);
  writing_ = false;
  broken_ = broken_ || !ok;  // reading will end too
  write_next();
}

// --- the end ---

void ClientStream::OnDone(const grpc::Status& status) {
  const Done done = done_;  // whoever is told may destroy this
  done(status);
}

}  // namespace caucus::wire
