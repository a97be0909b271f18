// Whatever a server sends, a client takes it or refuses it without harm, and predicts with finite
// numbers. The first two bytes are the length of the welcome; an assignment follows.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "caucus/engine/participant/participant.hpp"
#include "caucus/wire/codec.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace caucus;
  if (size < 2) return 0;
  const auto first = std::min<std::size_t>(data[0] + 256U * data[1], size - 2);
  v1::ServerMessage welcome;
  v1::ServerMessage assignment;
  if (!welcome.ParseFromArray(data + 2, static_cast<int>(first)) ||
      !assignment.ParseFromArray(data + 2 + first, static_cast<int>(size - 2 - first))) {
    return 0;
  }
  const auto record = wire::decode(welcome.welcome());
  if (!record.ok()) return 0;
  const SharedPlan& plan = record->plan;
  std::size_t numbers = plan.features + plan.experts;
  for (const Space& space : plan.spaces) numbers += space.features * (plan.features + 1);
  if (numbers > 100'000) return 0;  // as large as it is, it only takes long
  const auto participant = Participant::make(plan, record->client);
  if (!participant.ok()) return 0;
  if (!(*participant)->assign(wire::decode(assignment.assignment())).ok()) return 0;
  const std::vector<float> x(plan.features + plan.experts, 0.5F);
  const auto prediction = (*participant)->predict(x);
  if (!prediction.ok() || !std::isfinite(prediction->output)) std::abort();
  (void)(*participant)->observe(prediction->id, 1.0);
  (void)(*participant)->take_report(true);
  return 0;
}
