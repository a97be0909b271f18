// What this machine can do at most, on one core: the bounds that kernels are compared with.
#pragma once

namespace caucus::bench {

/// Float multiply-adds (two operations each) by the widest instructions, 10^9 operations a second.
double peak_gflops();

/// Bytes that one core reads from memory far larger than the caches, 10^9 a second.
double memory_gigabytes_per_second();

}  // namespace caucus::bench
