// Detects clients that leave for good. What was learned from a client that has run out of data
// matters less for those that stay. The server sees only the number of reports, and reports are
// also lost at random. So the server takes the largest number of reports in a batch over windows of
// kPatience batches; if it is smaller than in every window before, clients have left. The product
// of all shares is never less than the last number of clients divided by the first, however many
// reports are lost.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "caucus/core/base/state_io.hpp"
#include "caucus/result.hpp"

namespace caucus {

class Departures {
 public:
  /// Call once per batch. Returns the share of clients that stayed, 1 unless some have left.
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
  /// Discard the object after an error.
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

  std::size_t clients_ = 0;      ///< the clients that count as present; 0 if not yet known
  std::size_t most_lately_ = 0;  ///< the most reports in a batch of the present window
  std::size_t batches_ = 0;      ///< in the present window
};

}  // namespace caucus
