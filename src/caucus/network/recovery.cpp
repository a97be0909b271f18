#include "caucus/network/recovery.hpp"

#include <utility>

namespace caucus {

Result<Federation> recover_federation(FederationSettings settings, Store& store) {
  CAUCUS_TRY(Federation federation, Federation::make(std::move(settings), store.run()->identity));
  CAUCUS_TRY(const auto snapshot, store.latest_snapshot());
  if (!snapshot) return federation;
  CAUCUS_CHECK(federation.restore(snapshot->bytes));
  CAUCUS_CHECK(store.replay(snapshot->batch, [&](std::uint64_t batch, auto reports) {
    return federation.replay(batch, reports);
  }));
  return federation;
}

}  // namespace caucus
