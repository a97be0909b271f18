// The choice between the variants of the kernels.
#pragma once

#include <string_view>
#include <vector>

#include "caucus/core/simd/kernel_table.hpp"
#include "caucus/result.hpp"

namespace caucus::simd {

/// Those that this CPU can run, the fastest last.
std::vector<const Kernels*> runnable();

namespace detail {
extern const Kernels* chosen;
}

/// The ones in use: the fastest unless select() chose others.
inline const Kernels& kernels() { return *detail::chosen; }

/// By name: portable, avx2, avx512 or auto. Before anything is computed, from one thread.
Status select(std::string_view name);

}  // namespace caucus::simd
