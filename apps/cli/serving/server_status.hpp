// The status of a server as JSON (`caucus status --json`, GET /status), as metrics (GET /metrics)
// and as a table.
#pragma once

#include <string>

#include "caucus/federation/hosting/host.hpp"
#include "caucus/result.hpp"
#include "options/settings.hpp"

namespace caucus::cli {

Json status_json(const HostStatus& status);

/// Returns Prometheus' text format, version 0.0.4.
std::string metrics_text(const HostStatus& status);

/// Returns a table made from the JSON of a server of any version; `where` names the server.
Result<std::string> status_table(const Json& status, const std::string& where);

}  // namespace caucus::cli
