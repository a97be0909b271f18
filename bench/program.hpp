// What the benchmark programs have in common: failures end with a message and code 2, and examples
// come from a file that every peer reads in a few lines of its own language (.f32: rows and
// features as two 64-bit numbers, then the rows as floats with the target last).
#pragma once

#include <string>
#include <utility>

#include "caucus/data/dataset.hpp"
#include "caucus/result.hpp"
#include "flags.hpp"

namespace caucus::bench {

/// The value of a Result; benchmarks have no use for going on without it.
template <class T>
T value_of(Result<T> result) {
  if (!result.ok()) throw std::runtime_error(result.error().line());
  return std::move(*result);
}

Dataset read_examples(const std::string& path);
void write_examples(const Dataset& data, const std::string& path);

/// The variant of the core's kernels that the environment variable CAUCUS_SIMD names, if it does.
void choose_simd_variant();

/// Runs `body` on the flags; the name is for messages.
int run_program(const char* name, int count, char** words, void (*body)(Flags&));

}  // namespace caucus::bench
