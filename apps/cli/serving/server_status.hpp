// How a server stands, as JSON (`caucus status --json`, GET /status), as metrics (GET /metrics) and
// as a table.
#pragma once

#include <string>

#include "caucus/federation/host.hpp"
#include "caucus/result.hpp"
#include "options/settings.hpp"

namespace caucus::cli {

Json status_json(const HostStatus& status);

/// Prometheus' text format, version 0.0.4.
std::string metrics_text(const HostStatus& status);

/// For people, from the JSON of a server, which may be of another version; `where` names it.
Result<std::string> status_table(const Json& status, const std::string& where);

/// "waiting", "running", "over"
std::string phase_word(Federation::Phase phase);
/// "expected", "connected", "away", "finished", "cut off"
std::string state_of(const Member& member);
/// Closed batches since its last accepted report, while batches wait for it.
std::uint64_t lag_of(const Member& member, const HostStatus& status);

}  // namespace caucus::cli
