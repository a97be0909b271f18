// A second memory beside that of all examples, for data that change. It begins empty when a client
// says that its forecasts have become worse, and has the sums of what such clients report after
// that. Reports show which memory would have predicted them better, and each client has a vote: its
// reports, the last one counting most, bounded so that no client decides by itself. If the young
// memory wins, the server forgets the other one.
//   vote     n/2 ln(loss by all / loss by the young) / 3 of a report on n examples, within [-1, 1];
//            a client's votes are halved by each of its reports
//   wins     if the votes sum to more than a third of the clients that have ever reported
//   given up if it has more than half of all examples
//   anew     if a client says that its forecasts have become worse while the sum is negative
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "caucus/algorithms/statistics/map_sums.hpp"
#include "caucus/core/base/state_io.hpp"
#include "caucus/result.hpp"

namespace caucus {

/// The losses of a report by both memories.
struct MemoryLosses {
  std::uint32_t client = 0;
  double examples = 0.0;
  double by_all = 0.0, by_young = 0.0;
  bool judged = false;   ///< whether there are losses
  bool changed = false;  ///< whether the client says that its forecasts have become worse
};

class YoungSums {
 public:
  /// Returns whether there is a young memory.
  [[nodiscard]] bool exists() const { return !sums_.empty(); }
  /// Returns whether a report of the client counts in it; one in which the client says that there
  /// was a change does not.
  [[nodiscard]] bool takes(std::uint32_t client) const {
    const auto found = clients_.find(client);
    return exists() && found != clients_.end() && found->second.moved;
  }
  [[nodiscard]] const MapSums& of_map(std::size_t map) const { return sums_[map]; }

  /// Counts the votes of the reports of a batch, and adds the sums of those that count in it.
  /// `kept` is the share of earlier sums that still counts.
  void add(const BatchMapSums& batch, double kept, std::span<const MemoryLosses> reports);
  /// Returns whether it is to replace the sums of all examples, which are these.
  [[nodiscard]] bool wins() const;
  /// Ends the memory.
  std::vector<MapSums> take();
  /// Gives it up if it has most of all examples, and begins one, or lets clients join it, if they
  /// say that there was a change.
  void follow(std::span<const MemoryLosses> reports, std::span<const MapSums> all);

  void save(StateWriter& to) const;
  Status restore(StateReader& from, std::span<const std::size_t> dimensions,
                 std::size_t targets = 1);

 private:
  struct Client {
    bool moved = false;  ///< it has said that there was a change
    double vote = 0.0;
  };
  [[nodiscard]] double votes() const;

  std::map<std::uint32_t, Client> clients_;  ///< that have ever reported
  std::vector<MapSums> sums_;                ///< empty if there is no young memory
};

}  // namespace caucus
