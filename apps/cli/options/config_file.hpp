// Reads configuration files (TOML) and writes configurations as TOML and JSON.
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

/// Returns the complete effective configuration, as a file that read_config accepts. With `server`
/// it has a [server] table and none of the settings that only a simulation has.
std::string config_toml(const RunConfig& config, const ServerConfig* server = nullptr);

/// Returns the complete effective configuration as JSON.
Json config_json(const RunConfig& config, const ServerConfig* server = nullptr);

/// Returns the "config" object of a result: the configuration and the command line.
Json result_config(const RunConfig& config, const ServerConfig* server = nullptr);

/// Turns such an object, or a part of it, into a file.
std::string config_toml(const Json& json);

}  // namespace caucus::cli
