// A FomdOms as bytes.
#include <string_view>

#include "caucus/algorithms/fomd_oms.hpp"

namespace caucus {

/// With the version of what follows.
constexpr std::string_view kStateName = "fomd-oms 1";

void FomdOms::save(StateWriter& to) const {
  renew_rows();
  to.text(kStateName);
  p_.save(to);
  weights_.save(to);
}

Status FomdOms::restore(StateReader& from) {
  from.expect(kStateName);
  CAUCUS_CHECK(p_.restore(from));
  CAUCUS_CHECK(weights_.restore(from, settings_->plan->maps));
  rows_are_old_ = false;
  if (lanes_) lanes_->copy_from(weights_);
  return Done{};
}

}  // namespace caucus
