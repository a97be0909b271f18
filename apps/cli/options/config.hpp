// The configuration of a run as people write it, in flags or in TOML.
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
  bool intercept = false;                                           ///< linear
  std::optional<std::pair<std::size_t, std::size_t>> columns = {};  ///< experts
};

struct RunConfig {
  std::string file, clients_from, target = "last", scale_from;
  std::optional<Interval> feature_range, label_range;

  std::vector<SpaceGroup> spaces;  ///< empty: the default candidates

  std::optional<std::size_t> clients;
  std::optional<std::string> partition;
  double dropout = 0.0;

  std::vector<std::string> algorithms = {"fomd-oms"};
  std::optional<std::size_t> sample;
  std::size_t rounds_per_upload = 1;
  Loss loss;

  ScheduleKind schedule = ScheduleKind::adaptive;
  std::optional<Horizon> horizon;
  std::optional<double> feature_bound, label_bound, gradient_scale, loss_bound, eta, lambda;
  double fixed_share = 0.0;
  std::optional<double> weight_rate, model_rate, regularization, exploration;  ///< baselines

  std::size_t repeats = 1;
  std::uint64_t seed = 1;
  std::size_t threads = 0;
  bool regret = false;

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
  // Refuse settings that exclude each other.
  [[nodiscard]] Status validate_data() const;
  [[nodiscard]] Status validate_schedule() const;
  [[nodiscard]] Status validate_spaces() const;
};

/// Linear, and Gaussian kernels of the eight widths.
std::vector<SpaceGroup> default_spaces();

/// The spaces of all groups of a resolved configuration, in order.
Result<std::vector<Space>> expand(const std::vector<SpaceGroup>& groups);

}  // namespace caucus::cli
