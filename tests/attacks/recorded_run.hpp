// A federation and its clients in one process, and all messages that its server received. The
// clients are caucus::Participant and the server is caucus::Federation, as behind `caucus join` and
// `caucus serve`; a message is what the network would carry.
#pragma once

#include <Eigen/Dense>
#include <cstddef>
#include <vector>

#include "caucus/engine/participant/records.hpp"
#include "caucus/federation/federation_settings.hpp"
#include "caucus/result.hpp"

namespace caucus::attacks {

/// Rows (x, y), scaled as the clients scale them.
using Rows = Eigen::MatrixXd;

struct Message {
  AssignmentRecord assignment;  ///< what the server sent before
  ReportRecord report;
  std::vector<Eigen::Index> rows;  ///< the true rows, with which an attack is judged
};

struct RecordedRun {
  FederationSettings settings;
  Rows rows;
  std::vector<Message> messages;
};

/// Deals the rows to the clients in turn and plays the run to its end.
Result<RecordedRun> record_run(FederationSettings settings, Rows rows);

/// Returns settings with the default spaces. A least batch of 0 hides examples.
FederationSettings settings_of(ScheduleKind schedule, std::size_t clients, std::size_t features,
                               std::size_t min_batch);

}  // namespace caucus::attacks
