// Configuration files: TOML in, TOML and JSON out.
#pragma once

#include <string>

#include "caucus/result.hpp"
#include "options/config.hpp"
#include "options/settings.hpp"

namespace caucus::cli {

/// Reads FILE.toml. Unknown tables and keys are errors that suggest the nearest valid one; a
/// [server] table is checked, and stored in `server` if that is given.
Result<RunConfig> read_config(const std::string& path, ServerConfig* server = nullptr);

/// Parses a configuration in memory; `name` is for messages.
Result<RunConfig> parse_config(const std::string& text, const std::string& name,
                               ServerConfig* server = nullptr);

/// The complete effective configuration, as a file that read_config accepts; with [server] if it is
/// given, and then without what only a simulation has.
std::string config_toml(const RunConfig& config, const ServerConfig* server = nullptr);

/// The complete effective configuration as JSON.
Json config_json(const RunConfig& config, const ServerConfig* server = nullptr);

/// The "config" object of a result: the configuration and the command line.
Json result_config(const RunConfig& config, const ServerConfig* server = nullptr);

/// Turns such an object, or a part of it, into a file.
std::string config_toml(const Json& json);

}  // namespace caucus::cli
