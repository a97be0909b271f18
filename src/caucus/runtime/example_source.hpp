// Where clients' examples come from: a partitioned file, a generator, a sensor.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include "caucus/data/dataset.hpp"
#include "caucus/data/partition.hpp"

namespace caucus {

struct Example {
  std::span<const float> x;
  double y = 0.0;
};

template <class S>
concept ExampleSource = requires(const S& source, std::size_t client, std::size_t round) {
  { source.clients() } -> std::convertible_to<std::size_t>;
  { source.rounds(client) } -> std::convertible_to<std::size_t>;  ///< how many examples it has
  /// x stays where it is until the batch of this round is over.
  { source.example(client, round) } -> std::same_as<Example>;
};

/// The rows of a data set, dealt to clients.
class PartitionedData {
 public:
  PartitionedData(const Dataset& data, const Partition& partition)
      : data_(&data), partition_(&partition) {}

  [[nodiscard]] std::size_t clients() const { return partition_->clients(); }
  [[nodiscard]] std::size_t rounds(std::size_t client) const {
    return partition_->rows_of(client).size();
  }
  [[nodiscard]] Example example(std::size_t client, std::size_t round) const {
    const auto rows = partition_->rows_of(client);
    const std::uint32_t row = rows[round];
    if (round + 1 < rows.size()) {  // the rows are anywhere: fetch the next one meanwhile
      const auto next = data_->x(rows[round + 1]);
      __builtin_prefetch(next.data());
      __builtin_prefetch(next.data() + next.size());
    }
    return {data_->x(row), static_cast<double>(data_->y(row))};
  }

 private:
  const Dataset* data_;
  const Partition* partition_;
};

}  // namespace caucus
