// What a curious server can compute from the messages of one client that keeps to the protocol.
// Each attack sees what the server has, the plan, the models that it sent and the report, and
// returns guesses of rows (x, y).
#pragma once

#include <Eigen/Dense>
#include <vector>

#include "caucus/engine/participant/records.hpp"
#include "caucus/plan.hpp"
#include "known_features.hpp"

namespace caucus::attacks {

struct Evidence {
  const SharedPlan& plan;
  const std::vector<KnownFeatures>& features;  ///< of the plan's spaces
  const AssignmentRecord& sent;
  const ReportRecord& report;
};

using Guesses = std::vector<Eigen::VectorXd>;

/// How hard an attack tries.
struct Effort {
  int starts = 60;
  int steps = 60;
};

/// From the loss c and the gradient g of the square loss on one row: g = 2 (v - y) z(x) and
/// c = (v - y)^2, so that g / (2 sqrt(c)) = z(x) up to its sign. x is searched for that has these
/// features in all held spaces.
Guesses invert_gradients(const Evidence& evidence, const Effort& effort);

/// From the sums of v v', v = (y, z), over fewer rows than v has numbers: every row lies in the
/// range of the sums. Minimises the part of v(x, y) outside of the range, in all spaces together.
Guesses search_span(const Evidence& evidence, const Effort& effort);

/// The same for sums of full rank: minimises v(x, y)' S^-1 v(x, y), which is small where S has seen
/// much.
Guesses search_likely_rows(const Evidence& evidence, const Effort& effort);

/// Solves for all rows of a batch at once: minimises the distance of their sums from those that
/// were sent, in all spaces together, from random rows with the mean and the covariance of the
/// batch. The effort's starts are ignored: there is one.
Guesses solve_for_batch(const Evidence& evidence, const Effort& effort);

/// Where a column has the same known value c in all rows but one, the sums of (x_k - c) v are a
/// multiple of that row. x_k is a coordinate, or what the random features tell of it.
Guesses read_rare_values(const Evidence& evidence);

/// The sums of one space in a report: S = sum of v v', v = (y, z).
struct SpaceSums {
  KnownFeatures features;
  Eigen::MatrixXd sums;
};
std::vector<SpaceSums> sums_in(const Evidence& evidence);

/// The mean and a root of the covariance of the rows (x, y) of a batch.
struct Moments {
  Eigen::VectorXd mean;
  Eigen::MatrixXd root;
};
Moments moments_in(const SpaceSums& sums, double rows);

}  // namespace caucus::attacks
