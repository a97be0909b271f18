// The configuration of a run and of its server, as users write it in flags or in TOML.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
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

/// One --spaces with its options, or one [[space]] table: a family of candidate spaces.
struct SpaceGroup {
  SpaceKind kind = SpaceKind::linear;
  std::optional<std::vector<double>> radii = {};   ///< linear
  std::optional<std::vector<double>> widths = {};  ///< kernels
  std::optional<std::uint32_t> features = {};      ///< kernels
  std::optional<double> radius = {};               ///< kernels
  std::optional<Constraint> constraint = {};
  bool independent_base = false;          ///< kernels
  std::optional<bool> intercept = {};     ///< linear and kernels
  std::vector<std::string> columns = {};  ///< experts
  std::vector<std::string> names = {};    ///< experts
  std::string command = {};               ///< experts: the program that makes their forecasts
  std::optional<double> timeout = {};     ///< of the command, in seconds
  bool as_features = false;               ///< experts: their columns are features too
};

/// Tells where settings were given, by the names of their fields in the library: a flag, or a line
/// and key.
using Places = std::map<std::string, std::string>;

struct RunConfig : SimulationOptions {
  std::string file, clients_from, target = "last", scale_from;
  std::optional<Interval> feature_range, label_range;
  std::vector<std::string> classes;  ///< names of the target's classes; empty: those that occur
  bool scale = true;                 ///< scale the data of a run although no range is given
  std::vector<std::string> drop, categories, numbers, missing;
  std::string time;
  std::size_t lags = 0;
  Impute impute = Impute::mean;
  std::size_t hash_columns = ReadOptions().hash_columns;

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

  Places places;

  [[nodiscard]] bool has_baseline() const;
  /// Returns whether all algorithms are baselines, which have no schedule.
  [[nodiscard]] bool has_only_baselines() const;
  /// Returns whether the number of clients follows from the data.
  [[nodiscard]] bool counts_clients() const;
  /// Returns whether the data are scaled although no range is given.
  [[nodiscard]] bool scales_by_default() const;
  /// Returns this run with every default written out. Printing and running both start from it, so
  /// that a printed configuration is the same run.
  [[nodiscard]] RunConfig resolved() const;
  /// Returns the loss, with the number of classes if they are named.
  [[nodiscard]] Result<Loss> loss_of_classes() const;
  /// Refuses contradictory and impossible settings, as far as that is possible without the data.
  [[nodiscard]] Result<ExperimentOptions> experiment() const;
  /// Does so for a server, which has no data.
  [[nodiscard]] Result<ExperimentOptions> experiment_without_data() const;
  [[nodiscard]] Result<ReadOptions> read_options() const;
  /// Returns the experts whose forecasts are made by a program, if there are any.
  [[nodiscard]] const SpaceGroup* commanded_experts() const;

 private:
  [[nodiscard]] Status validate() const;
};

inline constexpr const char* kDefaultListen = "localhost:7070";

/// The [server] table: how a run is served. Of it only the list of clients and the limits that
/// reports are checked against affect the result.
struct ServerConfig {
  std::string listen = kDefaultListen;
  std::string store;                       ///< empty: named after the configuration file
  std::vector<std::string> clients;        ///< their names, in the order of the run
  std::optional<std::size_t> quorum;       ///< reports that suffice at the deadline; unset: all
  std::optional<std::size_t> deadline_ms;  ///< how long a batch may be open; unset: no limit
  std::size_t durability = 1;              ///< batches per durable commit
  std::size_t snapshot_every = 1000;       ///< batches between snapshots of the whole state
  std::size_t label_delay = 16;            ///< by how many batches a label may be late
  std::optional<std::size_t> features;     ///< of an example, if there are no ranges
  std::optional<double> max_abs_target, max_feature_norm;  ///< if there are no ranges
  std::size_t violations = 3;      ///< so many rejected reports cut a client off
  std::size_t linger_ms = 30'000;  ///< how long to wait for acknowledgements of the End
  std::string tokens, cert, key, client_ca, http;
  Places places;

  [[nodiscard]] bool has_tls() const { return !cert.empty() || !key.empty() || !client_ca.empty(); }
};

/// Returns a linear space and Gaussian kernels of eight widths.
std::vector<SpaceGroup> default_spaces();

/// Returns the spaces of all groups of a resolved configuration, in order.
Result<std::vector<Space>> expand(const std::vector<SpaceGroup>& groups);

}  // namespace caucus::cli
