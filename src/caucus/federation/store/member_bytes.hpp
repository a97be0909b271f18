// Members and their reports as bytes, for the store. Whatever the bytes are, reading them gives
// either what was written or an error; the checksum of the store or of the snapshot is around them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "caucus/core/base/state_io.hpp"
#include "caucus/federation/member.hpp"
#include "caucus/federation/store/store_rows.hpp"
#include "caucus/result.hpp"

namespace caucus {

void save_report(const ReportRecord& report, StateWriter& into);
ReportRecord read_report(StateReader& from);

/// All that a run remembers of its members when a batch has just been opened, but for the weights
/// of their models (weights_bytes.hpp).
void save_members(const std::vector<Member>& members, StateWriter& into);
/// Into the members of the same run: names must be the same.
Status restore_members(StateReader& from, std::vector<Member>& members);

/// What the members said in a batch that is about to be closed, and how they stand; one of each.
std::vector<StoredReport> closed_batch(const std::vector<Member>& members);
Status restore_closed_batch(std::uint64_t number, std::span<const StoredReport> stored,
                            std::vector<Member>& members);

}  // namespace caucus
