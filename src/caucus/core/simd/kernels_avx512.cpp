// The kernels for x86 with AVX-512 (F, BW, DQ, VL).
#define CAUCUS_SIMD_NAME "avx512"
#include "caucus/core/simd/kernel_definitions.hpp"

namespace caucus::simd {

const Kernels kAvx512 = avx512::kTable;

}  // namespace caucus::simd
