// The source of clients' examples: a partitioned file, a generator, a sensor.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include "caucus/data/dataset.hpp"
#include "caucus/data/partition.hpp"
#include "caucus/engine/asked_experts.hpp"

namespace caucus {

struct Example {
  std::span<const float> x;
  double y = 0.0;
};

template <class S>
concept ExampleSource = requires(const S& source, std::size_t client, std::size_t round) {
  { source.clients() } -> std::convertible_to<std::size_t>;
  { source.rounds(client) } -> std::convertible_to<std::size_t>;  ///< the number of examples
  /// x stays where it is until the batch of this round is over.
  { source.example(client, round) } -> std::same_as<Example>;
};

/// Rows of a data set, one for each client: x, then y.
struct RowTable {
  const float* values;
  std::size_t stride;
  const std::uint32_t* rows;  ///< null if there is no such table

  [[nodiscard, gnu::always_inline]] const float* operator[](std::size_t client) const {
    return values + rows[client] * stride;
  }
  [[gnu::always_inline]] void prefetch(const float* row) const {
    constexpr std::size_t kLine = 16;  // floats in a cache line
    constexpr std::size_t kLines = 4;  // the CPU fetches the following ones by itself
    __builtin_prefetch(row);
    __builtin_prefetch(row + stride - 1);
    const std::size_t end = std::min(stride - 1, kLines * kLine);
    for (std::size_t k = kLine; k < end; k += kLine) __builtin_prefetch(row + k);
  }
};

/// The rows of a data set, dealt to clients.
class PartitionedData {
 public:
  /// `experts` holds the forecasts of experts that are asked, if any are.
  PartitionedData(const Dataset& data, const Partition& partition, AskedRows* experts = nullptr)
      : partition_(&partition),
        experts_(experts),
        values_(data.rows() > 0 ? data.x(0).data() : nullptr),
        stride_(data.stride()) {}

  [[nodiscard]] std::size_t clients() const { return partition_->clients(); }
  [[nodiscard, gnu::always_inline]] std::size_t rounds(std::size_t client) const {
    return partition_->rounds(client);
  }
  [[nodiscard, gnu::always_inline]] Example example(std::size_t client, std::size_t round) const {
    const float* const x = row(client, round);
    return {{x, stride_ - 1}, static_cast<double>(x[stride_ - 1])};
  }
  /// Returns whether experts are to be asked for an example before it is used.
  [[nodiscard]] bool asks() const { return experts_ != nullptr; }
  void ask(std::span<const std::uint32_t> spaces, std::size_t client, std::size_t round) const {
    experts_->ask(spaces, partition_->row(client, round));
  }
  void ask_all(std::size_t client, std::size_t round) const {
    experts_->ask_all(partition_->row(client, round));
  }
  /// Prefetches an example that is needed soon, if it exists: rows are anywhere in memory.
  [[gnu::always_inline]] void prefetch(std::size_t client, std::size_t round) const {
    if (round >= partition_->rounds(client)) return;
    RowTable{values_, stride_, nullptr}.prefetch(row(client, round));
  }
  /// Returns the rows of all clients in a round, if all have an example and they are one array.
  [[nodiscard]] RowTable rows_of(std::size_t round) const {
    return {values_, stride_, partition_->rows_of_round(round)};
  }

 private:
  [[nodiscard, gnu::always_inline]] const float* row(std::size_t client, std::size_t round) const {
    return values_ + partition_->row(client, round) * stride_;
  }

  const Partition* partition_;
  AskedRows* experts_;
  const float* values_;  ///< row by row: x, then y
  std::size_t stride_;
};

}  // namespace caucus
