#include "caucus/federation/store/recovery.hpp"

#include <utility>

namespace caucus {
namespace {

Status restore(Federation& federation, Store& store) {
  CAUCUS_TRY(const auto snapshot, store.latest_snapshot());
  if (!snapshot && store.begun()) {
    return data_error(store.path(), "has reports without the snapshot before them",
                      "expected a run from its beginning; restore the store from a copy");
  }
  if (!snapshot) return Done{};
  CAUCUS_CHECK(federation.restore(snapshot->bytes));
  CAUCUS_CHECK(store.replay(snapshot->batch, [&](std::uint64_t batch, auto reports) {
    return federation.replay(batch, reports);
  }));
  CAUCUS_TRY(const auto acknowledged, store.acknowledged());
  return acknowledged ? federation.restore_acknowledged(*acknowledged) : Status(Done{});
}

}  // namespace

Result<Federation> recover_federation(FederationSettings settings, Store& store) {
  CAUCUS_TRY(Federation federation, Federation::make(std::move(settings), store.run()->identity));
  if (Status status = restore(federation, store); !status.ok()) {
    Error& error = status.error();
    if (error.where != store.path()) error.where = store.path() + ": " + error.where;
    return std::move(error);
  }
  return federation;
}

}  // namespace caucus
