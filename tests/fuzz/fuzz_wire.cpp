// Whatever two clients send, message after message, the server decodes and judges it without harm,
// what it accepts leaves all models finite, and from what it would have stored it comes back with
// the same bytes.
//
// The first byte chooses the schedule and whether the shape of the examples is known; then every
// message has its length, in two bytes, in front of it. The length's upper four bits say who sends
// it and what happens after it.
#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "caucus/federation/test_settings.hpp"
#include "caucus/wire/codec.hpp"
#include "fuzz_federation.hpp"

namespace {

using namespace caucus;

constexpr unsigned kSecondClient = 0x8000;
constexpr unsigned kDeadlinePasses = 0x4000;
constexpr unsigned kServerIsKilled = 0x2000;  // when it has closed the next batch
constexpr unsigned kSnapshot = 0x1000;        // then, too
constexpr unsigned kLength = 0x0fff;
constexpr std::chrono::milliseconds kDeadline(100);

FederationSettings settings_of(std::uint8_t choice) {
  constexpr ScheduleKind kSchedules[] = {ScheduleKind::adaptive, ScheduleKind::adaptive_first_order,
                                         ScheduleKind::theory, ScheduleKind::constant};
  auto settings = test_settings(2, kSchedules[choice % 4]);
  if ((choice & 4U) != 0) settings.plan.features = 0;
  settings.quorum = 1;
  settings.deadline = kDeadline;
  return settings;
}

class FuzzedServer {
 public:
  explicit FuzzedServer(std::uint8_t choice)
      : settings_(settings_of(choice)), federation_(Federation::make(settings_, {}).value()) {}

  /// False if the run cannot go on.
  bool take(std::uint32_t client, const v1::ClientMessage& message, unsigned then) {
    if ((then & kDeadlinePasses) != 0) now_ += kDeadline;
    killed_ = killed_ || (then & kServerIsKilled) != 0;
    snapshot_due_ = snapshot_due_ || (then & kSnapshot) != 0;
    hear(client, message);
    if (federation_.phase() == Federation::Phase::waiting && !begin()) return false;
    std::string why;
    (void)federation_.receive(client, wire::decode(message.report()), now_, why);
    while (federation_.closable(now_)) close();
    return federation_.phase() == Federation::Phase::running;
  }
  void check() const {
    if (federation_.server() != nullptr) require_finite(federation_.server()->learned());
  }

 private:
  void hear(std::uint32_t client, const v1::ClientMessage& message) {
    const auto hello = wire::decode(message.hello());
    if (hello.ok()) (void)federation_.join(*hello, now_);
    if (!message.has_ready()) return;
    ReadyRecord ready = wire::decode(message.ready());
    ready.features = std::min<std::size_t>(ready.features, 100);  // enough to be wrong, and quick
    (void)federation_.ready(client, ready, now_);
  }
  /// Whoever has not said anything right is there all the same.
  bool begin() {
    for (std::uint32_t client = 0; client < 2; ++client) {
      if (federation_.members()[client].joined) continue;
      const std::size_t known = federation_.settings().plan.features;
      (void)federation_.ready(client, {10, known == 0 ? 4 : known, 0}, now_);
    }
    if (!federation_.can_start(now_) || !federation_.start(now_).ok()) return false;
    stored_ = federation_.snapshot();
    return true;
  }
  void close() {
    since_.push_back(federation_.close(now_));
    if (killed_) {
      std::optional<Federation> again = recovered(settings_, stored_, since_);
      require(again && again->snapshot() == federation_.snapshot());
      federation_ = std::move(*again);
      federation_.restart_deadline(now_);
    }
    if (snapshot_due_) {
      stored_ = federation_.snapshot();
      since_.clear();
    }
    killed_ = snapshot_due_ = false;
  }

  FederationSettings settings_;
  Federation federation_;
  Time now_{};
  bool killed_ = false, snapshot_due_ = false;
  std::string stored_;
  std::vector<ClosedBatch> since_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::uint8_t* end = data + size;
  FuzzedServer server(*data);
  for (++data; end - data >= 2;) {
    const unsigned head = data[0] + 256U * data[1];
    data += 2;
    const auto taken = std::min<std::ptrdiff_t>(head & kLength, end - data);
    v1::ClientMessage message;
    const bool parsed = message.ParseFromArray(data, static_cast<int>(taken));
    data += taken;
    if (!parsed) continue;
    if (!server.take((head & kSecondClient) != 0 ? 1 : 0, message, head & ~kLength)) break;
  }
  server.check();
  return 0;
}
