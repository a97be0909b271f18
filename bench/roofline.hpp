// The limits of one core of this machine, with which kernels are compared.
#pragma once

namespace caucus::bench {

/// Float multiply-adds (two operations each) with the widest instructions, in 10^9 operations per
/// second.
double peak_gflops();

/// Bytes that one core reads from memory far larger than the caches, in 10^9 per second.
double memory_gigabytes_per_second();

}  // namespace caucus::bench
