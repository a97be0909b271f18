// The kernels for any CPU.
#define CAUCUS_SIMD_NAME "portable"
#include "caucus/core/simd/kernel_definitions.hpp"

namespace caucus::simd {

const Kernels kPortable = portable::kTable;

}  // namespace caucus::simd
