// The kernels for x86 with AVX2 and fused multiply-add.
#define CAUCUS_SIMD_NAME "avx2"
#include "caucus/core/simd/kernel_definitions.hpp"

namespace caucus::simd {

const Kernels kAvx2 = avx2::kTable;

}  // namespace caucus::simd
