// Applies flags to a configuration. Their order matters: a space's options follow its --spaces.
#pragma once

#include <string>
#include <vector>

#include "caucus/result.hpp"
#include "options/config.hpp"
#include "options/settings.hpp"

namespace CLI {
class App;
}

namespace caucus::cli {

/// One flag of the command line.
struct GivenFlag {
  std::string flag, value;
};

/// Declares the flags of all settings. Parsing appends the given ones to `given`, in order.
void add_run_flags(CLI::App& command, std::vector<GivenFlag>& given);
void add_server_flags(CLI::App& command, std::vector<GivenFlag>& given);

/// Flags override the file and drop those of its settings that they exclude.
Status apply_flags(const std::vector<GivenFlag>& given, RunConfig& config);
Status apply_flags(const std::vector<GivenFlag>& given, ServerConfig& config);

}  // namespace caucus::cli
