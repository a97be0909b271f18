#include <chrono>

#include "serving/server_status.hpp"

namespace caucus::cli {
namespace {

/// Unknown while there is nothing to divide by.
Json mean_json(double sum, std::uint64_t count) {
  return count == 0 ? Json(nullptr) : Json(sum / static_cast<double>(count));
}

Json client_json(const Member& member, const HostStatus& status) {
  const MemberCounters& c = member.counters;
  Json json = {{"name", member.name},
               {"state", state_of(member)},
               {"told", member.acknowledged_end},
               {"last_seen_seconds", nullptr},
               {"examples", member.examples},
               {"counted", member.counted},
               {"last_batch", member.last_batch},
               {"lag", lag_of(member, status)},
               {"reports", c.reports},
               {"late", c.late},
               {"repeated", c.repeated},
               {"strange", c.strange},
               {"rejected", c.rejected},
               {"joins", c.joins},
               {"bytes_up", c.bytes_up},
               {"bytes_down", c.bytes_down}};
  if (member.last_seen != Time{}) {
    const std::chrono::duration<double> ago = status.now - member.last_seen;
    json["last_seen_seconds"] = ago.count();
  }
  return json;
}

Json bytes_json(std::uint64_t sent, std::uint64_t formula_bits, std::uint64_t forecasts) {
  return {{"total", sent},
          {"per_client_round", mean_json(static_cast<double>(sent), forecasts)},
          {"per_client_round_by_formula",
           mean_json(static_cast<double>(formula_bits) / 8.0, forecasts)}};
}

}  // namespace

std::string phase_word(Federation::Phase phase) {
  switch (phase) {
    case Federation::Phase::waiting:
      return "waiting";
    case Federation::Phase::running:
      return "running";
    case Federation::Phase::over:
      return "over";
  }
  return {};
}

std::string state_of(const Member& member) {
  if (member.cut_off) return "cut off";
  if (member.finished) return "finished";
  if (member.connected) return "connected";
  return member.joined ? "away" : "expected";
}

std::uint64_t lag_of(const Member& member, const HostStatus& status) {
  const bool waited_for = status.phase == Federation::Phase::running && member.active();
  if (!waited_for || member.last_batch + 1 >= status.batch) return 0;
  return status.batch - 1 - member.last_batch;
}

Json status_json(const HostStatus& status) {
  Json json = {{"phase", phase_word(status.phase)},
               {"batch", status.batch},
               {"durable_batch", status.durable},
               {"forecasts", status.forecasts},
               {"loss", mean_json(status.loss, status.forecasts)},
               {"mse", mean_json(status.squared_error, status.forecasts)},
               {"spaces", status.spaces},
               {"probabilities", status.probabilities}};
  std::uint64_t up = 0;
  std::uint64_t down = 0;
  Json clients = Json::array();
  for (const Member& member : status.members) {
    up += member.counters.bytes_up;
    down += member.counters.bytes_down;
    clients.push_back(client_json(member, status));
  }
  json["bytes_up"] = bytes_json(up, status.upload_bits, status.forecasts);
  json["bytes_down"] = bytes_json(down, status.download_bits, status.forecasts);
  json["clients"] = std::move(clients);
  return json;
}

}  // namespace caucus::cli
