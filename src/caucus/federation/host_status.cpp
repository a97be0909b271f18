#include "caucus/federation/host_status.hpp"

namespace caucus {

HostStatus status_of(const Federation& federation) {
  HostStatus status;
  status.phase = federation.phase();
  status.batch = federation.batch();
  for (const Member& member : federation.members()) {
    Member& copy = status.members.emplace_back();
    copy.name = member.name;
    copy.joined = member.joined;
    copy.finished = member.finished;
    copy.cut_off = member.cut_off;
    copy.acknowledged_end = member.acknowledged_end;
    copy.examples = member.examples;
    copy.counted = member.counted;
    copy.last_batch = member.last_batch;
    copy.counters = member.counters;
    copy.connected = member.connected;
    copy.last_seen = member.last_seen;
    copy.answered = member.answered;
  }
  for (const Space& space : federation.settings().plan.spaces) {
    status.spaces.push_back(space.name());
  }
  if (federation.server() != nullptr) status.probabilities = federation.server()->probabilities();
  const Telemetry& telemetry = federation.telemetry();
  status.loss = telemetry.loss;
  status.squared_error = telemetry.squared_error;
  status.forecasts = telemetry.forecasts;
  status.upload_bits = telemetry.upload_bits;
  status.download_bits = telemetry.download_bits;
  return status;
}

}  // namespace caucus
