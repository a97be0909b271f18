// Ctrl-C during a command that keeps nothing: one line says so, and nothing is left behind.
#pragma once

#include <functional>
#include <string>

#include "serving/stop_signals.hpp"

namespace caucus::cli {

/// As long as it exists, SIGINT and SIGTERM remove unfinished files, print what `describe` returns,
/// and end the process as usual. Make it before other threads.
class Interruptible {
 public:
  explicit Interruptible(std::function<std::string()> describe = [] {
    return std::string("nothing was written");
  });

  /// From now on signals come too late: call it before files are put in their places.
  void end() { signals_.unwatch(); }

 private:
  StopSignals signals_;
};

}  // namespace caucus::cli
