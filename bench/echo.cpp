#include "echo.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "caucus/v1/federation.grpc.pb.h"

namespace caucus::bench {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

class EchoServer::Service final : public v1::Federation::CallbackService {
 public:
  Service(std::size_t streams, bool barrier, v1::ServerMessage reply)
      : streams_(streams), barrier_(barrier), reply_(std::move(reply)) {}

  grpc::ServerBidiReactor<v1::ClientMessage, v1::ServerMessage>* Join(
      grpc::CallbackServerContext*) override {
    return new Stream(*this);
  }

 private:
  class Stream final : public grpc::ServerBidiReactor<v1::ClientMessage, v1::ServerMessage> {
   public:
    explicit Stream(Service& service) : service_(service) { StartRead(&message_); }
    void answer() {
      reply_ = service_.reply_;  // copied, as a server creates a message for each client
      StartWrite(&reply_);
    }

   private:
    void OnReadDone(bool ok) override {
      if (!ok) return Finish(grpc::Status::OK);
      service_.arrived(*this);
    }
    void OnWriteDone(bool ok) override {
      if (!ok) return Finish(grpc::Status::OK);
      StartRead(&message_);
    }
    void OnCancel() override {  // otherwise the pending read or write fails
      if (service_.withdraw(*this)) Finish(grpc::Status::CANCELLED);
    }
    void OnDone() override { delete this; }

    Service& service_;
    v1::ClientMessage message_;
    v1::ServerMessage reply_;
  };

  void arrived(Stream& stream) {
    if (!barrier_) return stream.answer();
    std::vector<Stream*> all;
    {
      const std::lock_guard lock(mutex_);
      waiting_.push_back(&stream);
      if (waiting_.size() == streams_) all.swap(waiting_);
    }
    for (Stream* one : all) one->answer();
  }
  /// Returns whether it was waiting for the others.
  bool withdraw(Stream& stream) {
    const std::lock_guard lock(mutex_);
    return std::erase(waiting_, &stream) > 0;
  }

  const std::size_t streams_;
  const bool barrier_;
  const v1::ServerMessage reply_;
  std::mutex mutex_;
  std::vector<Stream*> waiting_;
};

EchoServer::EchoServer(std::size_t streams, bool barrier, v1::ServerMessage reply,
                       std::shared_ptr<grpc::ServerCredentials> credentials)
    : service_(std::make_unique<Service>(streams, barrier, std::move(reply))) {
  grpc::ServerBuilder builder;
  builder.AddListeningPort("localhost:0", std::move(credentials), &port_);
  builder.RegisterService(service_.get());
  server_ = builder.BuildAndStart();
}

EchoServer::~EchoServer() { server_->Shutdown(std::chrono::system_clock::now()); }

namespace {

class EchoStream final : public grpc::ClientBidiReactor<v1::ClientMessage, v1::ServerMessage> {
 public:
  EchoStream(v1::Federation::Stub& stub, const v1::ClientMessage& message) : message_(message) {
    stub.async()->Join(&context_, this);
    StartWrite(&message_);
    StartRead(&reply_);
    StartCall();
  }
  void cancel() { context_.TryCancel(); }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return done_; });
  }
  std::vector<double> gaps;

 private:
  void OnReadDone(bool ok) override {
    const auto now = Clock::now();
    if (!ok) return;
    if (last_ != Clock::time_point{}) {
      gaps.push_back(std::chrono::duration<double>(now - last_).count());
    }
    last_ = now;
    StartRead(&reply_);
    write_if(read_done_);
  }
  void OnWriteDone(bool ok) override {
    if (ok) write_if(write_done_);
  }
  /// Called when the last message was sent and its answer received, in either order.
  void write_if(bool& now_done) {
    const std::lock_guard lock(mutex_);
    now_done = true;
    if (!read_done_ || !write_done_) return;
    read_done_ = write_done_ = false;
    StartWrite(&message_);
  }
  void OnDone(const grpc::Status&) override {
    const std::lock_guard lock(mutex_);
    done_ = true;
    changed_.notify_all();
  }

  grpc::ClientContext context_;
  const v1::ClientMessage message_;
  v1::ServerMessage reply_;
  Clock::time_point last_{};
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  bool read_done_ = false, write_done_ = false;
};

}  // namespace

std::vector<double> echo(const std::string& address, std::size_t streams,
                         const v1::ClientMessage& message, std::chrono::duration<double> seconds,
                         const std::shared_ptr<grpc::ChannelCredentials>& credentials) {
  std::vector<std::unique_ptr<v1::Federation::Stub>> stubs;
  std::vector<std::unique_ptr<EchoStream>> all;
  for (std::size_t n = 0; n < streams; ++n) {
    grpc::ChannelArguments arguments;
    arguments.SetInt("caucus.stream", static_cast<int>(n));  // gives each stream its own connection
    stubs.push_back(
        v1::Federation::NewStub(grpc::CreateCustomChannel(address, credentials, arguments)));
  }
  all.reserve(streams);
  for (auto& stub : stubs) all.push_back(std::make_unique<EchoStream>(*stub, message));
  std::this_thread::sleep_for(seconds);
  for (auto& stream : all) stream->cancel();
  std::vector<double> gaps;
  for (auto& stream : all) {
    stream->wait();
    gaps.insert(gaps.end(), stream->gaps.begin(), stream->gaps.end());
  }
  return gaps;
}

}  // namespace caucus::bench
