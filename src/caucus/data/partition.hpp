// Assigns rows to clients and gives each client their order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "caucus/data/dataset.hpp"
#include "caucus/result.hpp"

namespace caucus {

class Partition {
 public:
  /// Gives client j the rows of list j, in that order.
  explicit Partition(const std::vector<std::vector<std::uint32_t>>& rows_of_clients);

  [[nodiscard]] std::size_t clients() const { return clients_; }
  [[nodiscard, gnu::always_inline]] std::uint32_t row(std::size_t client, std::size_t round) const {
    return rows_[begin_.empty() ? round * clients_ + client : begin_[client] + round];
  }
  /// The rows of all clients in a round, or null unless all clients have equally many rows and
  /// `round` is one of their rounds.
  [[nodiscard]] const std::uint32_t* rows_of_round(std::size_t round) const {
    return begin_.empty() && round < longest_ ? rows_.data() + round * clients_ : nullptr;
  }
  /// The number of rows of a client.
  [[nodiscard, gnu::always_inline]] std::size_t rounds(std::size_t client) const {
    return begin_.empty() ? longest_ : begin_[client + 1] - begin_[client];
  }
  [[nodiscard]] std::vector<std::uint32_t> rows_of(std::size_t client) const;
  /// The most rows that any client has, which is the number of rounds.
  [[nodiscard]] std::size_t longest() const { return longest_; }
  /// The total number of rows of all clients.
  [[nodiscard]] std::size_t used() const { return rows_.size(); }

 private:
  std::size_t clients_ = 0;
  std::size_t longest_ = 0;
  // If all clients have equally many rows they are stored round by round, in the order in which
  // they are read; otherwise client by client.
  std::vector<std::uint32_t> rows_;
  std::vector<std::size_t> begin_;  ///< the first row of each client in the second case
};

struct PartitionSpec {
  enum class Kind {
    shuffle,    ///< the first floor(rows/M) M rows, permuted, dealt round-robin (as in the paper)
    blocks,     ///< equal contiguous blocks in file order
    column,     ///< one client per distinct value of the client column, ascending; file order
    dirichlet,  ///< heterogeneous: per bin of the target, shares drawn from Dirichlet(A)
    files,      ///< one client per file
  };
  Kind kind = Kind::shuffle;
  double concentration = 1.0;  ///< for dirichlet: A; clients differ more if it is small
  std::string column = {};     ///< for column: N (from 1) or NAME
};

/// Returns whether clients use their rows in the order of the file.
[[nodiscard]] inline bool keeps_order(PartitionSpec::Kind kind) {
  return kind != PartitionSpec::Kind::shuffle && kind != PartitionSpec::Kind::dirichlet;
}

/// Parses shuffle, blocks, column:N or dirichlet:A. Kind::files has no text: it follows from the
/// data.
Result<PartitionSpec> parse_partition(std::string_view text);

/// With `clients` = 0 there is one client for each value of the column, or for each file. Random
/// partitions depend only on (seed, repetition).
Result<Partition> make_partition(const PartitionSpec& spec, const Dataset& data,
                                 std::size_t clients, std::uint64_t seed, std::uint32_t repetition);

}  // namespace caucus
