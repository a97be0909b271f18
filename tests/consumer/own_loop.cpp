// own_loop HOST:PORT NAME: an application with an epoll loop and a gRPC channel of its own takes
// part in a federation. Neither is disturbed: the loop's timeouts take as long as they should, and
// the channel's calls are answered on the application's completion queue.
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>
#include <caucus/client.hpp>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr int kReadings = 200;
constexpr int kEveryMilliseconds = 2;

/// Calls a method that no server has; the answer says so.
class Caller {
 public:
  explicit Caller(const char* server)
      : stub_(grpc::CreateChannel(server, grpc::InsecureChannelCredentials())) {}
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;
  ~Caller() {
    if (call_) {
      context_->TryCancel();
      void* tag = nullptr;
      bool ok = false;
      queue_.Next(&tag, &ok);
    }
    queue_.Shutdown();
  }

  void poll() {
    if (!call_) return begin();
    void* tag = nullptr;
    bool ok = false;
    const auto now = std::chrono::system_clock::now();
    if (queue_.AsyncNext(&tag, &ok, now) != grpc::CompletionQueue::GOT_EVENT) return;
    if (status_.error_code() == grpc::StatusCode::UNIMPLEMENTED) ++answers;
    call_.reset();
  }

  int answers = 0;

 private:
  void begin() {
    context_ = std::make_unique<grpc::ClientContext>();
    call_ = stub_.PrepareUnaryCall(context_.get(), "/application.Service/Method", {}, &queue_);
    call_->StartCall();
    call_->Finish(&response_, &status_, this);
  }

  grpc::GenericStub stub_;
  grpc::CompletionQueue queue_;
  std::unique_ptr<grpc::ClientContext> context_;
  std::unique_ptr<grpc::GenericClientAsyncResponseReader> call_;
  grpc::ByteBuffer response_;
  grpc::Status status_;
};

int make_timer() {
  const int timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  const timespec period{0, kEveryMilliseconds * 1'000'000L};
  const itimerspec times{period, period};
  return timer >= 0 && timerfd_settime(timer, 0, &times, nullptr) == 0 ? timer : -1;
}

int fail(const caucus::Error& error) {
  std::printf("%s\n", error.line().c_str());
  return static_cast<int>(error.kind);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const auto client = caucus::Client::start({.server = argv[1], .name = argv[2], .features = 1});
  if (!client.ok()) return fail(client.error());
  Caller caller(argv[1]);

  const int loop = epoll_create1(EPOLL_CLOEXEC);
  const int timer = make_timer();
  epoll_event wanted{};
  wanted.events = EPOLLIN;
  if (timer < 0 || epoll_ctl(loop, EPOLL_CTL_ADD, timer, &wanted) != 0) return 1;
  int readings = 0, ticks = 0;
  double first = 0.0, last = 0.0;  // squared errors of the first and the last tenth
  while (readings < kReadings) {
    epoll_event event{};
    if (epoll_wait(loop, &event, 1, 30'000) != 1) return 1;
    std::uint64_t expired = 0;
    if (read(timer, &expired, sizeof expired) != sizeof expired) continue;
    if (++ticks > 20'000) return std::puts("no models came"), 1;
    caller.poll();
    const float x[] = {static_cast<float>(readings * 37 % 101) / 101.0F};
    const auto prediction = (*client)->predict(x);  // an error until the first models are here
    if (!prediction.ok()) continue;
    const double y = std::sin(3.0 * static_cast<double>(x[0]));
    (*client)->observe(prediction->id, y);
    const double squared = (prediction->output - y) * (prediction->output - y);
    if (readings < kReadings / 10) first += squared;
    if (readings >= kReadings - kReadings / 10) last += squared;
    ++readings;
  }
  epoll_ctl(loop, EPOLL_CTL_DEL, timer, nullptr);
  const auto started = Clock::now();
  epoll_event event{};
  const int events = epoll_wait(loop, &event, 1, 50);  // nothing is there to come
  const auto waited = Clock::now() - started;
  close(timer);
  close(loop);
  (*client)->finish();
  const auto done = (*client)->wait_until_finished(std::chrono::minutes(1));
  if (!done.ok()) return fail(done.error());
  std::printf("%d readings, error %s, own calls %s, own timeout %s\n", readings,
              last < first / 2 ? "fell" : "did not fall", caller.answers > 10 ? "answered" : "lost",
              events == 0 && waited >= milliseconds(49) ? "kept" : "broken");
}
