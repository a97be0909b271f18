// A federation served from its store to the end: until all clients have finished and know it.
#pragma once

#include <functional>
#include <string>

#include "caucus/federation/federation.hpp"
#include "caucus/federation/security/address.hpp"
#include "caucus/log.hpp"
#include "caucus/result.hpp"
#include "serving/served_run.hpp"
#include "serving/server_security.hpp"

namespace caucus::cli {

struct ServeOptions {
  Address listen;
  ServerSecurity security;
  Log log;
  std::function<void(const std::string&)> note;  ///< to people
  /// The result, once all is counted; seconds that batches were open.
  std::function<Status(const Federation&, double seconds)> make_result;
  /// May take as long as it likes: clients are served meanwhile.
  std::function<Status()> write_result;
};

/// Until the run is over and all clients know it, or SIGTERM or SIGINT asks to stop; what was
/// stored goes on when it is served again.
Status serve_run(const ServedRun& run, ServeOptions options);

}  // namespace caucus::cli
