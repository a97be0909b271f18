// A FomdOms as bytes.
#include <string_view>

#include "caucus/algorithms/fomd_oms.hpp"

namespace caucus {

/// With the version of what follows.
constexpr std::string_view kStateName = "fomd-oms 1";

void FomdOms::save(StateWriter& to) const {
  to.text(kStateName);
  p_.save(to);
  weights_.save(to);
}

Status FomdOms::restore(StateReader& from) {
  from.expect(kStateName);
  CAUCUS_CHECK(p_.restore(from));
  return weights_.restore(from, settings_->plan->maps);
}

}  // namespace caucus
