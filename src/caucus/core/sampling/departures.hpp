// Clients that leave for good. A client that has run out of data takes its distribution with it,
// and what was learned from it matters less for those that stay. The server sees only how many
// report, and reports are lost at random too: clients count as gone when in kPatience batches in a
// row never as many reported as in any such time before. The product of all shares is never less
// than the last number of clients over the first, however long reports are lost.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "caucus/core/base/result.hpp"
#include "caucus/core/base/state_io.hpp"

namespace caucus {

class Departures {
 public:
  /// Once per batch: the share of clients that stayed, 1 unless some are found to have left.
  double stayed(std::size_t reporters) {
    most_lately_ = std::max(most_lately_, reporters);
    ++batches_;
    if (batches_ < kPatience && (clients_ == 0 || reporters < clients_)) return 1.0;
    double share = 1.0;
    if (clients_ == 0 || most_lately_ < clients_) {
      if (clients_ > 0) share = static_cast<double>(most_lately_) / static_cast<double>(clients_);
      clients_ = most_lately_;
    }
    most_lately_ = batches_ = 0;
    return share;
  }

  void save(StateWriter& to) const {
    to.u64(clients_);
    to.u64(most_lately_);
    to.u64(batches_);
  }
  /// To be thrown away after an error.
  Status restore(StateReader& from) {
    clients_ = static_cast<std::size_t>(from.u64());
    most_lately_ = static_cast<std::size_t>(from.u64());
    batches_ = static_cast<std::size_t>(from.u64());
    CAUCUS_CHECK(from.status());
    const std::size_t most = std::numeric_limits<std::uint32_t>::max();
    if (clients_ > most || most_lately_ > most || batches_ >= kPatience) {
      return from.refuse("a count of clients or batches is too large");
    }
    return Done{};
  }

 private:
  static constexpr std::size_t kPatience = 20;

  std::size_t clients_ = 0;      ///< that are thought to be there; 0 while not known
  std::size_t most_lately_ = 0;  ///< reports in a batch since as many as clients_ reported
  std::size_t batches_ = 0;      ///< since then
};

}  // namespace caucus
