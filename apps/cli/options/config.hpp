// The configuration of a run and of its server as people write it, in flags or in TOML.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "caucus/data/dataset.hpp"
#include "caucus/result.hpp"
#include "caucus/simulation/options.hpp"
#include "caucus/space.hpp"

namespace caucus::cli {

inline constexpr std::size_t kDefaultClients = 10;
inline constexpr std::uint32_t kDefaultFeatures = 100;
inline const std::vector<double> kDefaultWidths = {0.5, 1, 2, 4, 8, 16, 32, 64};

/// One --spaces with its options, or one [[space]] table: a family of candidate spaces.
struct SpaceGroup {
  SpaceKind kind = SpaceKind::linear;
  std::optional<std::vector<double>> radii = {};   ///< linear
  std::optional<std::vector<double>> widths = {};  ///< kernels
  std::optional<std::uint32_t> features = {};      ///< kernels
  std::optional<double> radius = {};               ///< kernels
  std::optional<Constraint> constraint = {};
  bool independent_base = false;                                    ///< kernels
  std::optional<bool> intercept = {};                               ///< linear and kernels
  std::optional<std::pair<std::size_t, std::size_t>> columns = {};  ///< experts
};

struct RunConfig : SimulationOptions {
  std::string file, clients_from, target = "last", scale_from;
  std::optional<Interval> feature_range, label_range;

  std::vector<SpaceGroup> spaces;  ///< empty: the default candidates

  std::optional<std::size_t> clients;
  std::optional<std::string> partition;

  std::optional<std::size_t> sample_size;
  std::optional<std::size_t> rounds_per_upload;  ///< 0: batches grow
  std::optional<double> growth;
  std::optional<std::size_t> min_batch;  ///< 0: enough to hide examples
  std::optional<bool> personal;
  std::optional<Mode> mode;
  std::optional<Robust> robust;
  Loss loss;

  ScheduleKind schedule = ScheduleKind::adaptive;
  std::optional<Horizon> horizon;
  std::optional<double> feature_bound, label_bound, gradient_scale, loss_bound, eta, lambda;
  double fixed_share = 0.0;
  std::optional<double> weight_rate, model_rate, regularization, exploration;  ///< baselines

  std::uint64_t seed = 1;

  [[nodiscard]] bool has_baseline() const;
  /// Whether no algorithm has a schedule.
  [[nodiscard]] bool has_only_baselines() const;
  /// Whether the data say how many clients there are.
  [[nodiscard]] bool counts_clients() const;
  /// This run with every default written out. Printing and running both start from it, so that
  /// a printed configuration is the same run.
  [[nodiscard]] RunConfig resolved() const;
  /// Refuses contradictory and impossible settings, as far as they show without the data.
  [[nodiscard]] Result<ExperimentOptions> experiment() const;
  /// Does so for a server, which has no data.
  [[nodiscard]] Result<ExperimentOptions> experiment_without_data() const;
  [[nodiscard]] Result<ReadOptions> read_options() const;

 private:
  [[nodiscard]] Status validate() const;
};

inline constexpr const char* kDefaultListen = "localhost:7070";

/// The [server] table: how a run is served. The result depends on it only for who takes part and
/// what reports are held against.
struct ServerConfig {
  std::string listen = kDefaultListen;
  std::string store;                       ///< empty: named after the configuration file
  std::vector<std::string> clients;        ///< who takes part; their order is that of the run
  std::optional<std::size_t> quorum;       ///< clients that are enough at the deadline; all
  std::optional<std::size_t> deadline_ms;  ///< of a batch, from its opening on; none
  std::size_t durability = 1;              ///< batches per durable commit
  std::size_t snapshot_every = 1000;       ///< batches between snapshots of the whole state
  std::size_t label_delay = 16;            ///< batches that a label may come late
  std::optional<std::size_t> features;     ///< of an example, where no ranges tell
  std::optional<double> max_abs_target, max_feature_norm;  ///< where no ranges tell
  std::size_t violations = 3;      ///< reports that cannot be true before a client is cut off
  std::size_t linger_ms = 30'000;  ///< for clients that have not acknowledged the End
  std::string tokens, cert, key, client_ca, http;

  [[nodiscard]] bool has_tls() const { return !cert.empty() || !key.empty() || !client_ca.empty(); }
};

/// Linear, and Gaussian kernels of the eight widths.
std::vector<SpaceGroup> default_spaces();

/// The spaces of all groups of a resolved configuration, in order.
Result<std::vector<Space>> expand(const std::vector<SpaceGroup>& groups);

}  // namespace caucus::cli
