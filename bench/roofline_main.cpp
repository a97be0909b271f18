// Prints the machine's bounds as one line of JSON.
#include <cstdio>

#include "roofline.hpp"

int main() {
  std::printf("{\"peak_gflops\": %.1f, \"memory_gb_per_second\": %.1f}\n",
              caucus::bench::peak_gflops(), caucus::bench::memory_gigabytes_per_second());
  return 0;
}
