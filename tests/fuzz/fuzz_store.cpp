// Whatever a store holds as its snapshot and as the rows of batches, though each with the right
// checksum: a server refuses it with one line, or has a state that is these bytes, plays on with
// finite numbers and comes back from what it would store then. test_stored_run.hpp has the format.
#include "caucus/federation/store/test_stored_run.hpp"
#include "fuzz_federation.hpp"

namespace {

using namespace caucus;

/// Whether the federation has taken the row and can go on.
bool replay(Federation& federation, const std::string& row) {
  const auto reports = unpack_reports(row);
  if (!reports) return false;
  require(pack_reports(*reports) == row);
  const Status status = federation.replay(federation.batch(), *reports);
  if (!status.ok()) require_one_line(status.error());
  return status.ok();
}

/// All who are there answer two batches more.
void play_on(const FederationSettings& settings, Federation& federation) {
  const std::string before = federation.snapshot();
  std::vector<ClosedBatch> since;
  for (int n = 0; n < 2 && federation.phase() == Federation::Phase::running; ++n) {
    for (std::uint32_t j = 0; j < federation.members().size(); ++j) {
      if (!federation.members()[j].active()) continue;
      (void)federation.assign(j);
      std::string why;
      (void)federation.receive(j, made_up_report(federation, j), Time{}, why);
    }
    require(federation.closable(Time{}));
    since.push_back(federation.close(Time{}));
  }
  require_finite(federation.server()->learned());
  // Sums that were huge from the beginning may have become infinite, which is refused.
  const auto again = recovered(settings, before, since);
  require(!again || again->snapshot() == federation.snapshot());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const StoredBytes stored = from_file({reinterpret_cast<const char*>(data), size});
  const FederationSettings settings = stored_settings(kStoredSchedules[stored.schedule].first);
  Federation federation = Federation::make(settings, {}).value();
  const std::string snapshot = sealed(stored.snapshot);
  const Status status = federation.restore(snapshot);
  if (!status.ok()) {
    require_one_line(status.error());
    return 0;
  }
  require(federation.snapshot() == snapshot);
  for (const std::string& row : stored.rows) {
    if (!replay(federation, row)) return 0;
  }
  play_on(settings, federation);
  return 0;
}
