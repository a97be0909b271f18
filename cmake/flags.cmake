# One set of flags for the whole project, carried by the target caucus_flags.
add_library(caucus_flags INTERFACE)

# The arithmetic is defined by the source: no contraction into FMA behind its back, so that the same
# expression gives the same bits wherever the compiler inlines it. Kernels that want FMA say so. That
# nobody looks at errno or at the flags of floating-point exceptions lets the compiler use vectors.
target_compile_options(caucus_flags INTERFACE
  -ffp-contract=off -fno-math-errno -fno-trapping-math
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wdouble-promotion
  -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual -Werror)

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 warns falsely on "text" + std::string (its bug 105651).
  target_compile_options(caucus_flags INTERFACE -Wno-restrict)
  # In a unity build g++ takes an included source for a header, where a class must not hold what its anonymous namespace
  # declares.
  if(CMAKE_UNITY_BUILD)
    target_compile_options(caucus_flags INTERFACE -Wno-subobject-linkage)
  endif()
endif()

if(CAUCUS_NATIVE_V3)
  include(CheckCXXSourceRuns)
  check_cxx_source_runs("
    int main() {
      __builtin_cpu_init();
      return __builtin_cpu_supports(\"avx2\") && __builtin_cpu_supports(\"fma\") &&
             __builtin_cpu_supports(\"bmi2\") ? 0 : 1;
    }" CAUCUS_CPU_HAS_V3)
  if(CAUCUS_CPU_HAS_V3)
    target_compile_options(caucus_flags INTERFACE -march=x86-64-v3)
  endif()
endif()

if(CAUCUS_SANITIZE)
  target_compile_options(caucus_flags INTERFACE
    -fsanitize=${CAUCUS_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(caucus_flags INTERFACE -fsanitize=${CAUCUS_SANITIZE})
endif()

if(CAUCUS_FUZZERS)  # the fuzzers see which branches of the libraries an input reaches
  target_compile_options(caucus_flags INTERFACE -fsanitize=fuzzer-no-link)
  target_link_options(caucus_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

find_program(CAUCUS_CCACHE ccache)
if(CAUCUS_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CAUCUS_CCACHE})
endif()
