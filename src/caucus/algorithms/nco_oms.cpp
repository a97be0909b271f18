#include "caucus/algorithms/nco_oms.hpp"

namespace caucus {

void NcoOms::Aggregate::clear() {
  for (std::size_t s = 0; s < used_; ++s) of_client_[s].clear();
  used_ = 0;
  clients_.clear();
}

void NcoOms::aggregate(const Report& report, Aggregate& into) const {
  if (into.used_ == into.of_client_.size()) {
    into.of_client_.push_back(copies_.front().new_aggregate());
  }
  into.clients_.push_back(report.client);
  copies_[report.client].aggregate(report, into.of_client_[into.used_++]);
}

void NcoOms::step(const Batch& batch, const Aggregate& aggregate) {
  for (std::size_t s = 0; s < aggregate.used_; ++s) {
    copies_[aggregate.clients_[s]].step(batch, aggregate.of_client_[s]);
  }
}

}  // namespace caucus
