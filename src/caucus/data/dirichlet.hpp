// The heterogeneous split: clients that see different targets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "caucus/core/base/random.hpp"
#include "caucus/data/dataset.hpp"

namespace caucus {

/// Permutes `rows` uniformly (Fisher-Yates).
inline void shuffle_rows(std::span<std::uint32_t> rows, Stream& stream) {
  for (std::size_t k = rows.size(); k > 1; --k) {
    std::swap(rows[k - 1], rows[stream.below(static_cast<std::uint32_t>(k))]);
  }
}

/// Divides the rows among clients so that each client sees other targets. Rows are put into 10 bins
/// by quantiles of the target (or one bin per value, if it takes at most 10 values). The rows of
/// bin b are shuffled and cut into consecutive shares q_{b,1..M} ~ Dirichlet(A, .., A). A client
/// without rows takes one from the largest client, and each client's rows are shuffled. All rows
/// are used. Requires rows >= clients >= 1 and a concentration A > 0.
std::vector<std::vector<std::uint32_t>> dirichlet_rows(const Dataset& data, std::size_t clients,
                                                       double concentration, std::uint64_t seed,
                                                       std::uint32_t repetition);

}  // namespace caucus
