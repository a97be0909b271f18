// The table of all kernels. The translation unit of each variant includes this once.
#pragma once

#include "caucus/core/simd/entropy_kernel.hpp"
#include "caucus/core/simd/exp_kernel.hpp"
#include "caucus/core/simd/float_kernels.hpp"
#include "caucus/core/simd/kernel_table.hpp"
#include "caucus/core/simd/project_kernel.hpp"
#include "caucus/core/simd/ridge_kernels.hpp"
#include "caucus/core/simd/sincos_kernel.hpp"
#include "caucus/core/simd/symmetric_kernels.hpp"

namespace caucus::simd::CAUCUS_SIMD_VARIANT {
namespace {

inline constexpr Kernels kTable = {
    CAUCUS_SIMD_NAME,   dot,           dots,        add_scaled,   add_products,
    add_and_measure,    scale,         project,     sincos,       magnitude,
    symmetric_multiply, symmetric_add, dot_doubles, exponentials, entropy_step,
    move_logs,          ridge_project, ridge_update};

}  // namespace
}  // namespace caucus::simd::CAUCUS_SIMD_VARIANT
