// A configuration as it is served, and the form in which a store keeps it: whoever opens the store
// can rebuild the federation from it alone, and a server with other settings is refused.
#pragma once

#include <string>
#include <vector>

#include "caucus/federation/federation_settings.hpp"
#include "caucus/result.hpp"
#include "caucus/simulation/options.hpp"
#include "options/config.hpp"
#include "options/server_config.hpp"

namespace caucus::cli {

struct ServedRun {
  RunConfig config;  ///< without what only a simulation has
  ServerConfig server;
  ExperimentOptions options;
  FederationSettings federation;
};

/// Reads the ranges. What cannot be served is an error.
Result<ServedRun> make_served_run(const RunConfig& config, const ServerConfig& server);

/// Settings of a simulation that serving ignores.
std::vector<std::string> ignored_settings(const RunConfig& config);

/// All that decides the result and nothing else: the same text for the same run.
std::string plan_text(const ServedRun& run);

/// `where` names the store.
Result<ServedRun> parse_plan(const std::string& text, const std::string& where);

}  // namespace caucus::cli
