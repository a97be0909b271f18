// Converts the members of a federation to bytes for the store, and back. Reading bytes that were
// not written so is an error; a checksum of the store or of the snapshot detects changed bytes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "caucus/core/base/state_io.hpp"
#include "caucus/federation/member.hpp"
#include "caucus/federation/sampled_models.hpp"
#include "caucus/federation/store/store_rows.hpp"
#include "caucus/result.hpp"

namespace caucus {

/// Writes the state of the members when a batch has just been opened, without the weights of their
/// models.
void save_members(const std::vector<TrackedMember>& members, StateWriter& into);
/// Reads into the members of the same run, whose names must be the same.
Status restore_members(StateReader& from, std::vector<TrackedMember>& members);

/// Writes the weights of the models of the members' open batches, each once. The members say which
/// models these are, so that only numbers are written.
void save_weights(const std::vector<TrackedMember>& members, StateWriter& into);
/// Reads into restored members.
Status restore_weights(StateReader& from, const Plan& plan, std::vector<TrackedMember>& members);

/// Writes the members' states and their reports in a batch that is about to be closed; in
/// asynchronous mode only those of the members that get new models.
std::vector<StoredReport> closed_batch(const std::vector<TrackedMember>& members,
                                       bool asynchronous);
Status restore_closed_batch(std::uint64_t number, std::span<const StoredReport> stored,
                            bool asynchronous, std::vector<TrackedMember>& members);

}  // namespace caucus
