// The stream of random numbers for one row of synthetic data.
#pragma once

#include <cstddef>
#include <cstdint>

#include "caucus/core/base/random.hpp"

namespace caucus {

inline Stream row_stream(std::uint64_t seed, std::size_t row) {
  return Stream({seed, Purpose::generator, 0, static_cast<std::uint32_t>(row),
                 static_cast<std::uint32_t>(std::uint64_t{row} >> 32)});
}

}  // namespace caucus
