// Serves a federation from its store until all clients have finished and acknowledged it.
#pragma once

#include <functional>
#include <string>

#include "caucus/federation/federation.hpp"
#include "caucus/result.hpp"
#include "caucus/wire/server.hpp"
#include "serving/served_configuration.hpp"

namespace caucus::cli {

struct ServeOptions {
  wire::ServerOptions wire;
  std::function<void(const std::string&)> note;  ///< writes a line for the user
  /// Makes the result when the run has finished; `seconds` is how long batches were open.
  std::function<Status(const Federation&, double seconds)> make_result;
  /// Writes the result while clients are still served.
  std::function<Status()> write_result;
};

/// Serves until the run has finished and all clients have acknowledged it, or until SIGTERM or
/// SIGINT; a stored run continues when it is served again.
Status serve_until_finished(const ServedConfiguration& run, ServeOptions options);

}  // namespace caucus::cli
