// The [server] table: how a run is served, beside what is run. The run's own result does not depend
// on it but for who takes part and what reports are held against.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "caucus/result.hpp"
#include "options/settings.hpp"

namespace caucus::cli {

inline constexpr const char* kDefaultListen = "localhost:7070";

struct ServerConfig {
  std::string listen = kDefaultListen;
  std::string store;                 ///< empty: named after the configuration file
  std::vector<std::string> clients;  ///< who takes part; their order is that of the run
  std::optional<std::size_t> quorum;
  std::optional<std::size_t> deadline_ms;
  std::size_t durability = 1;  ///< batches per durable commit
  std::size_t snapshot_every = 1000;
  std::size_t label_delay = 16;
  std::optional<std::size_t> features;  ///< of an example, where no ranges tell
  std::optional<double> max_abs_target, max_feature_norm;
  std::size_t violations = 3;
  std::size_t linger_ms = 30'000;  ///< for clients who have not heard that the run is over
  std::string tokens;
  std::string cert, key, client_ca;
  std::string http;

  [[nodiscard]] bool has_tls() const { return !cert.empty() || !key.empty() || !client_ca.empty(); }
};

/// The list of them, as run_settings() for a run. A dot in a key leads into a table of the table.
const std::vector<Setting<ServerConfig>>& server_settings();

}  // namespace caucus::cli
