// A federation from its store.
#pragma once

#include "caucus/federation/federation.hpp"
#include "caucus/federation/store/store.hpp"
#include "caucus/result.hpp"

namespace caucus {

/// As it was after the last durable batch: the snapshot and the batches after it. The store must
/// hold a run, of these settings; if nobody had joined, the federation waits.
Result<Federation> recover_federation(FederationSettings settings, Store& store);

}  // namespace caucus
