// Configuration files: TOML in, TOML and JSON out.
#pragma once

#include <string>

#include "caucus/core/result.hpp"
#include "config.hpp"
#include "settings.hpp"

namespace caucus::cli {

/// Reads FILE.toml. Unknown tables and keys are errors that suggest the nearest valid one.
Result<RunConfig> read_config(const std::string& path);

/// The same from memory; `name` is for messages.
Result<RunConfig> parse_config(const std::string& text, const std::string& name);

/// The complete effective configuration, as a file that read_config accepts.
std::string config_toml(const RunConfig& config);

/// The same as the "config" object of the results.
Json config_json(const RunConfig& config);

}  // namespace caucus::cli
