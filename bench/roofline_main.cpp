// Prints the limits of the machine and the variant of the kernels in use as one line of JSON.
#include <cstdio>

#include "caucus/core/simd/kernels.hpp"
#include "program.hpp"
#include "roofline.hpp"

namespace {

void measure(caucus::bench::Flags& flags) {
  flags.expect_none_left();
  std::printf("{\"peak_gflops\": %.1f, \"memory_gb_per_second\": %.1f, \"simd\": \"%s\"}\n",
              caucus::bench::peak_gflops(), caucus::bench::memory_gigabytes_per_second(),
              caucus::simd::kernels().name);
}

}  // namespace

int main(int count, char** words) {
  return caucus::bench::run_program("roofline", count, words, measure);
}
