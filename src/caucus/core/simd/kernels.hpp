// Selects the variant of the kernels.
#pragma once

#include <string_view>
#include <vector>

#include "caucus/core/simd/kernel_table.hpp"
#include "caucus/result.hpp"

namespace caucus::simd {

/// Returns the variants that this CPU supports, the fastest last.
std::vector<const Kernels*> runnable();

namespace detail {
extern const Kernels* chosen;
}

/// Returns the variant in use: the fastest, unless select() chose another.
inline const Kernels& kernels() { return *detail::chosen; }

/// Selects portable, avx2, avx512 or auto. Call it from one thread before any computation.
Status select(std::string_view name);

}  // namespace caucus::simd
