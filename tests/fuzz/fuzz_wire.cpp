// Whatever bytes a client sends, the server decodes and judges them without harm, and what it
// accepts leaves all models finite.
#include <cmath>
#include <cstdlib>
#include <string>

#include "caucus/network/federation.hpp"
#include "caucus/network/test_settings.hpp"
#include "caucus/network/wire/codec.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace caucus;
  v1::ClientMessage message;
  if (!message.ParseFromArray(data, static_cast<int>(size))) return 0;
  if (message.has_hello()) (void)wire::decode(message.hello());
  const auto settings = test_settings(1, ScheduleKind::adaptive);
  Federation federation = Federation::make(settings, {}).value();
  std::string why;
  const Time now{};
  (void)federation.join({.client = "c1"}, now);
  const auto ready = wire::decode(message.ready());
  (void)federation.ready(0, ready, now);
  if (!federation.members()[0].joined) (void)federation.ready(0, {10, 4, 0}, now);
  if (!federation.begin(now).ok()) std::abort();
  for (int n = 0; n < 2 && federation.phase() == Federation::Phase::running; ++n) {
    ReportRecord report = wire::decode(message.report());
    if (federation.receive(0, std::move(report), now, why) == Verdict::accepted) {
      federation.close(now);
    }
  }
  const LearnedModel learned = federation.learner()->learned();
  for (const double p : learned.probabilities) {
    if (!(p >= 0.0 && p <= 1.0)) std::abort();
  }
  for (const auto& weights : learned.weights) {
    for (const float w : weights) {
      if (!std::isfinite(w)) std::abort();
    }
  }
  return 0;
}
