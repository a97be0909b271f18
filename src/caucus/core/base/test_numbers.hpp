// Types, constants and random vectors that several tests use.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "caucus/core/base/random.hpp"

namespace caucus {

using Exact = long double;
using Floats = std::vector<float>;
using Doubles = std::vector<double>;

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Normally distributed numbers times a scale.
inline Floats normals(std::size_t size, double scale, Stream& stream) {
  Floats values(size);
  for (float& value : values) value = static_cast<float>(scale * stream.normal());
  return values;
}
inline Floats normals(std::size_t size, Stream& stream) { return normals(size, 1.0, stream); }

}  // namespace caucus
