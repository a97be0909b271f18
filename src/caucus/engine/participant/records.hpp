// The messages between server and clients, as both sides hold them: the records of
// algorithms/round.hpp with memory of their own. proto/caucus/v1 defines them on the wire.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "caucus/algorithms/report_batch.hpp"
#include "caucus/algorithms/round.hpp"
#include "caucus/engine/telemetry.hpp"
#include "caucus/plan.hpp"
#include "caucus/result.hpp"

namespace caucus {

inline constexpr std::uint32_t kProtocol = 1;

/// The most parts of one report, so that a server knows how large it can be.
inline constexpr std::size_t kPartsPerReport = 64;
/// The most examples in one part. Where gradients are sent, a client predicts N examples with the
/// models of a batch, and as many in each batch by which its true values are late. Sums may be of
/// more examples than the batch was to have: an application does not stop while the server is away.
inline constexpr std::size_t most_examples_per_part(const SharedPlan& plan) {
  constexpr std::size_t kMost = 0xFFFFFFFF;
  constexpr std::size_t kLongest = 100'000;  // a growing batch is no longer
  const std::size_t rounds = plan.rounds_per_upload;
  const std::size_t length = plan.statistics && rounds < kLongest ? kLongest : rounds;
  // The last batch of sums also has the examples that are too few to be sent by themselves.
  const std::size_t batches = plan.statistics ? 2 : plan.label_delay + 1;
  return length > kMost / batches ? kMost : length * batches;
}

/// The most batches of a run: the keys of its random numbers hold the batch in 32 bits.
inline constexpr std::uint64_t kMostBatches = 0xFFFFFFFF;

/// client -> server: the first message.
struct HelloRecord {
  std::uint32_t protocol = kProtocol;
  std::string client = {}, token = {}, software = {};
  std::optional<RunId> run = {};  ///< the run in which it took part before
  bool resume = false;            ///< if false, it begins at its first example
};

/// Returns what is wrong with examples of this shape, which must be the plan's if it has one.
inline std::optional<Error> shape_fault(const SharedPlan& plan, std::size_t features,
                                        std::size_t experts, std::string where) {
  const bool any_shape = plan.features == 0 && plan.experts == 0;  // the first client decides
  if (any_shape || (features == plan.features && experts == plan.experts)) return std::nullopt;
  const auto shape = [](std::size_t f, std::size_t e) {
    return std::to_string(f) + " features and " + std::to_string(e) + " experts";
  };
  return data_error(std::move(where), "has " + shape(features, experts),
                    "expected " + shape(plan.features, plan.experts) + ", as the plan has");
}

/// client -> server: the client has its data.
struct ReadyRecord {
  std::uint64_t examples = 0;  ///< 0 if the client does not know
  std::size_t features = 0, experts = 0;
  std::uint64_t clipped = 0;  ///< examples with a value outside the ranges of the plan
};

/// server -> client: the answer to a hello.
struct WelcomeRecord {
  RunId run{};
  std::uint32_t client = 0;
  std::uint64_t examples = 0;  ///< examples of this client in accepted reports
  SharedPlan plan;
  std::uint64_t start = 0;  ///< counts the starts of the run's server
  std::uint64_t since = 0;  ///< the first batch that this start has opened
};

struct HeldModelRecord {
  std::uint32_t space = 0;
  double share = 0.0;
  std::vector<float> weights;
};

/// server -> client: the sampled models of a batch.
struct AssignmentRecord {
  std::uint64_t batch = 0;
  std::uint64_t durable = 0;  ///< the server will not ask again for reports up to this
  std::vector<HeldModelRecord> held = {};
  std::uint64_t examples = 0;            ///< the length of the batch; 0 if the plan says it
  std::uint64_t least_after_change = 0;  ///< if the data change, it may end after so many; 0: never
};

/// Returns the models with memory of their own.
inline AssignmentRecord record_of(std::uint64_t batch, std::uint64_t durable,
                                  const Assignment& assignment) {
  AssignmentRecord record{batch, durable, {}, assignment.examples, assignment.least_after_change};
  for (const HeldModel& held : assignment.held) {
    record.held.push_back({held.space, held.share, {held.weights.begin(), held.weights.end()}});
  }
  return record;
}

/// client -> server: losses and gradients of the models. Each report is the mean over the examples
/// that were predicted with the models of one assignment, whose batch is sampled_in.
struct ReportRecord {
  std::uint64_t batch = 0;  ///< the batch whose assignment it answers
  ReportBatch reports;
  PlayedSums played;
  bool last = false;  ///< the client has no more examples
};

}  // namespace caucus
