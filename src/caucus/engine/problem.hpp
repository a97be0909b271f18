// Computes what an algorithm needs from scaling and options: bounds, constants, rates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "caucus/algorithms/any_algorithm.hpp"
#include "caucus/core/mirror/schedule.hpp"
#include "caucus/core/statistics/upload_rule.hpp"
#include "caucus/data/columns.hpp"
#include "caucus/data/partition.hpp"
#include "caucus/engine/run_options.hpp"
#include "caucus/options.hpp"
#include "caucus/plan.hpp"
#include "caucus/result.hpp"

namespace caucus {

/// How long a run lasts; clients may have unequal amounts of data.
struct RunLength {
  std::size_t clients = 0;
  std::size_t rounds = 0;   ///< T of the client with most data
  std::size_t batches = 0;  ///< R
  std::size_t reports = 0;  ///< reports of all clients: M R if all have the same amount
};

/// Returns the length of a run of clients with these numbers of examples.
RunLength run_length(std::span<const std::size_t> rounds, const UploadRule& uploads);
RunLength run_length(const Partition& partition, const UploadRule& uploads);
/// Returns the number of examples of each client.
std::vector<std::size_t> rounds_of(const Partition& partition);

/// Returns whether an algorithm learns from sums over batches: under the adaptive schedule, unless
/// a space has more than 500 dimensions or a mirror step of its own, the loss has no curvature, or
/// the sums (noncooperative clients have their own) would take more than 2 GB. Otherwise the
/// adaptive schedule takes first-order steps. Of experts only the losses are summed.
bool learns_from_sums(const std::string& algorithm, const LearningOptions& options,
                      std::size_t features, std::size_t clients);

/// Returns the number of models that every client holds: J, or one more with a reference.
std::size_t held_models(const std::vector<Space>& spaces, const Loss& loss, std::size_t sample_size,
                        bool from_sums);

/// Returns when clients upload, which depends on the number of features if examples are hidden.
UploadRule upload_rule(const RunOptions& options, std::size_t features, bool from_sums);

/// Refuses a loss of classes whose number is not known.
Status check_classes(const Loss& loss);

/// Refuses batches of a fixed length that are too short to hide the examples in them.
Status check_batch_length(const UploadRule& uploads);

/// Returns the scaling by the ranges of the columns, or nullopt if there are none.
Result<std::optional<Scaling>> known_scaling(const std::optional<ReadOptions>& columns);

/// Returns the largest |value| in an interval.
double largest_in(const Interval& interval);
/// Returns the largest |x| in the scaled range, with 1 for the intercept if there is one.
double linear_feature_bound(const Scaling& scaling, bool intercept);
/// Returns the largest |y| in the scaled range.
double target_bound(const Scaling& scaling);

/// Returns C_i and G_i of every space. Automatic bounds: b_i is the largest |phi_i| possible in the
/// scaled range, 1 for kernels without an intercept; Y is the largest |y| possible.
std::vector<SpaceConstants> make_constants(const Scaling& scaling, const RunOptions& options);

/// Checks whether a run of this length is long enough for its schedule: the theory's needs T >= K.
Status check_horizon(const RunLength& length, const RunOptions& options);

/// Returns the spaces with their features in one repetition.
Result<Plan> make_plan(const LearningOptions& options, InputShape shape, std::uint32_t repetition);
/// Returns them for a federation, where the server and all clients compute the same.
Result<Plan> make_plan(const SharedPlan& shared);

/// Returns the plan by which this many clients learn with fomd-oms.
SharedPlan shared_plan(const LearningOptions& options, InputShape shape, std::size_t clients);

/// Returns validated settings for one algorithm in one repetition.
Result<AnySettings> make_settings(const std::string& algorithm, std::shared_ptr<const Plan> plan,
                                  const std::vector<SpaceConstants>& constants,
                                  const RunLength& length, const RunOptions& options,
                                  std::uint32_t repetition);

/// An algorithm's settings for clients of whom the number of examples is known.
struct PreparedRun {
  UploadRule uploads;
  RunLength length;
  AnySettings settings;
};

/// Prepares one repetition of an algorithm for clients with these numbers of examples.
Result<PreparedRun> prepare(const std::string& algorithm, std::shared_ptr<const Plan> plan,
                            const std::vector<SpaceConstants>& constants,
                            std::span<const std::size_t> rounds, const RunOptions& options,
                            std::uint32_t repetition);

}  // namespace caucus
