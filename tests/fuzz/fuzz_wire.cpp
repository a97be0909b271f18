// Whatever a client sends, message after message, the server decodes and judges it without harm,
// and what it accepts leaves all models finite.
//
// The first byte chooses the schedule and whether the shape of the examples is known; then every
// message has its length, in two bytes, in front of it.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>

#include "caucus/network/federation.hpp"
#include "caucus/network/test_settings.hpp"
#include "caucus/network/wire/codec.hpp"

namespace {

using namespace caucus;

FederationSettings settings_of(std::uint8_t choice) {
  constexpr ScheduleKind kSchedules[] = {ScheduleKind::adaptive, ScheduleKind::adaptive_first_order,
                                         ScheduleKind::theory, ScheduleKind::constant};
  auto settings = test_settings(1, kSchedules[choice % 4]);
  if ((choice & 4U) != 0) settings.plan.features = 0;
  return settings;
}

/// The first client is ready with what it says, or with what would be right.
bool begin(Federation& federation, const v1::ClientMessage& message) {
  const Time now{};
  const auto hello = wire::decode(message.hello());
  if (hello.ok()) (void)federation.join(*hello, now);
  (void)federation.join({.client = "c1"}, now);
  ReadyRecord ready = wire::decode(message.ready());
  if (ready.features > 100) ready.features = 100;  // enough to be wrong, and quick
  (void)federation.ready(0, ready, now);
  if (!federation.members()[0].joined) (void)federation.ready(0, {10, 4, 0}, now);
  return federation.can_begin(now) && federation.begin(now).ok();
}

void expect_finite(const LearnedModel& learned) {
  for (const double p : learned.probabilities) {
    if (!(p >= 0.0 && p <= 1.0)) std::abort();
  }
  for (const auto& weights : learned.weights) {
    for (const float w : weights) {
      if (!std::isfinite(w)) std::abort();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  Federation federation = Federation::make(settings_of(*data), {}).value();
  const std::uint8_t* end = data + size;
  bool begun = false;
  std::string why;
  for (++data; end - data >= 2;) {
    const auto length = static_cast<std::ptrdiff_t>(data[0] + 256 * data[1]);
    data += 2;
    const auto taken = std::min(length, end - data);
    v1::ClientMessage message;
    const bool parsed = message.ParseFromArray(data, static_cast<int>(taken));
    data += taken;
    if (!parsed) continue;
    if (!begun) {
      begun = begin(federation, message);
      if (!begun) return 0;  // its client is none
    }
    ReportRecord report = wire::decode(message.report());
    if (federation.phase() != Federation::Phase::running) break;
    if (federation.receive(0, std::move(report), Time{}, why) == Verdict::accepted) {
      federation.close(Time{});
    }
  }
  if (begun) expect_finite(federation.learner()->learned());
  return 0;
}
