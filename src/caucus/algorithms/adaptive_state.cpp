// An AdaptiveOms as bytes.
#include <algorithm>
#include <string_view>

#include "caucus/algorithms/adaptive_oms.hpp"

namespace caucus {

/// The first bytes, with the version of the layout.
constexpr std::string_view kStateName = "adaptive-oms 1";

void AdaptiveOms::save(StateWriter& to) const {
  to.text(kStateName);
  hedge_.save(to);
  weights_.save(to);
  departures_.save(to);
  to.real(remembered_);
  to.numbers(remembered_of_);
  to.u64(batches_);
  for (const std::size_t batch : last_batch_) to.u64(batch);
  for (const Learner& learner : learners_) {
    to.u8(static_cast<std::uint8_t>(learner.index()));
    if (const auto* second = std::get_if<SecondOrderModel>(&learner)) second->save(to);
    if (const auto* first = std::get_if<FirstOrderModel>(&learner)) first->save(to);
  }
}

Status AdaptiveOms::restore(StateReader& from) {
  from.expect(kStateName);
  CAUCUS_CHECK(hedge_.restore(from));
  CAUCUS_CHECK(weights_.restore(from, plan().maps));
  CAUCUS_CHECK(departures_.restore(from));
  CAUCUS_CHECK(restore_memory(from));
  for (Learner& learner : learners_) {
    if (from.u8() != learner.index()) {
      return from.refuse("a model learned another way", "expected the order of the settings");
    }
    if (auto* second = std::get_if<SecondOrderModel>(&learner)) {
      CAUCUS_CHECK(second->restore(from));
    } else if (auto* first = std::get_if<FirstOrderModel>(&learner)) {
      CAUCUS_CHECK(first->restore(from));
    }
  }
  return from.status();
}

Status AdaptiveOms::restore_memory(StateReader& from) {
  remembered_ = from.real();
  from.numbers(remembered_of_);
  batches_ = static_cast<std::size_t>(from.u64());
  for (std::size_t& batch : last_batch_) batch = static_cast<std::size_t>(from.u64());
  CAUCUS_CHECK(from.status());
  const auto remembered = [&](double share) { return share >= remembered_ && share <= 1.0; };
  if (!(remembered_ > 0.0) ||
      !std::all_of(remembered_of_.begin(), remembered_of_.end(), remembered)) {
    return from.refuse("what is remembered", "expected shares that do not grow");
  }
  if (*std::max_element(last_batch_.begin(), last_batch_.end()) > batches_) {
    return from.refuse("a batch after the last one");
  }
  return Done{};
}

}  // namespace caucus
