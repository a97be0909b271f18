// Shared code of the benchmark programs: failures end with a message and exit code 2, and examples
// come from a file that programs in any language can read (.f32: rows and features as two 64-bit
// numbers, then the rows as floats with the target last).
#pragma once

#include <string>
#include <utility>

#include "caucus/data/dataset.hpp"
#include "caucus/result.hpp"
#include "flags.hpp"

namespace caucus::bench {

/// Returns the value of a Result, or exits with its error.
template <class T>
T value_of(Result<T> result) {
  if (!result.ok()) throw std::runtime_error(result.error().line());
  return std::move(*result);
}

Dataset read_examples(const std::string& path);
void write_examples(const Dataset& data, const std::string& path);

/// Selects the kernels that the environment variable CAUCUS_SIMD names, if it is set.
void choose_simd_variant();

/// Runs `body` with the flags; the name is for messages.
int run_program(const char* name, int count, char** words, void (*body)(Flags&));

}  // namespace caucus::bench
