// Flags on top of a configuration. Their order matters: a space's options follow its --spaces.
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

/// One flag as it stood on the command line.
struct GivenFlag {
  std::string flag, value;
};

/// Declare every setting's flag; what is given lands in `given`, in order.
void add_run_flags(CLI::App& command, std::vector<GivenFlag>& given);
void add_server_flags(CLI::App& command, std::vector<GivenFlag>& given);

/// Flags win over the file, also over what the file says that no longer fits them.
Status apply_flags(const std::vector<GivenFlag>& given, RunConfig& config);
Status apply_flags(const std::vector<GivenFlag>& given, ServerConfig& config);

}  // namespace caucus::cli
