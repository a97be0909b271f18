// Which client holds which rows, and in which order it meets them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "caucus/core/base/result.hpp"
#include "caucus/data/dataset.hpp"

namespace caucus {

class Partition {
 public:
  /// Takes the lists as they are.
  explicit Partition(const std::vector<std::vector<std::uint32_t>>& rows_of_clients);
  /// Deals the rows to the clients in turn; there must be equally many for all.
  static Partition dealt(std::vector<std::uint32_t> rows, std::size_t clients);

  [[nodiscard]] std::size_t clients() const { return clients_; }
  /// The row that a client meets in a round.
  [[nodiscard, gnu::always_inline]] std::uint32_t row(std::size_t client, std::size_t round) const {
    return rows_[begin_.empty() ? round * clients_ + client : begin_[client] + round];
  }
  /// Those of all clients in a round, if all have equally many and this is one of them; else null.
  [[nodiscard]] const std::uint32_t* rows_of_round(std::size_t round) const {
    return begin_.empty() && round < longest_ ? rows_.data() + round * clients_ : nullptr;
  }
  /// Of one client.
  [[nodiscard, gnu::always_inline]] std::size_t rounds(std::size_t client) const {
    return begin_.empty() ? longest_ : begin_[client + 1] - begin_[client];
  }
  [[nodiscard]] std::vector<std::uint32_t> rows_of(std::size_t client) const;
  /// Rows of the client that has most: the number of rounds.
  [[nodiscard]] std::size_t longest() const { return longest_; }
  /// Rows of all clients together.
  [[nodiscard]] std::size_t used() const { return rows_.size(); }

 private:
  Partition() = default;

  std::size_t clients_ = 0;
  std::size_t longest_ = 0;
  // Round by round if all clients have equally many, because that is how they are read; else client
  // by client.
  std::vector<std::uint32_t> rows_;
  std::vector<std::size_t> begin_;  ///< where each client's begin, in the second case
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
  double concentration = 1.0;  ///< A of dirichlet: small is heterogeneous
  std::string column = {};     ///< of column: N (from 1) or NAME, for ReadOptions::client_column
};

/// shuffle | blocks | column:N | dirichlet:A. Whether a dataset has files is not the user's to say.
Result<PartitionSpec> parse_partition(std::string_view text);

/// `clients` = 0 means as many as the column has values, or as there are files. The random ones
/// depend on (seed, repetition) only.
Result<Partition> make_partition(const PartitionSpec& spec, const Dataset& data,
                                 std::size_t clients, std::uint64_t seed, std::uint32_t repetition);

}  // namespace caucus
