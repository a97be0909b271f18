// What every variant of the kernels offers. No library headers here: the translation units of the
// variants are compiled for CPUs that may be absent, and must not leave inline functions behind.
#pragma once

#include <cstddef>
#include <cstdint>

namespace caucus::simd {

/// The floats that are worked on together; rows of matrices are padded to a multiple of it.
inline constexpr std::size_t kLanes = 16;
constexpr std::size_t padded(std::size_t size) { return (size + kLanes - 1) / kLanes * kLanes; }

/// factor * x, a product that is to be added.
struct Term {
  const float* x;
  float factor;
};

/// w <- w + factor * (0 + terms[0] + terms[1] + ..), of n numbers; at least one term.
struct Move {
  float* w;
  const Term* terms;
  std::size_t count;
  std::size_t n;
  float factor;
};

/// Widths in ratio 2 share a sine and cosine, so many of them: the angles of one are doubled.
inline constexpr std::size_t kOctaves = 4;

/// What is wanted of one x among several: the waves amplitude * cos(pi 2^level factor x_k) and
/// sines at out[level], which is null where they are not wanted.
struct Wave {
  const float* x;
  float* out[kOctaves];
  float factor;
};

/// vector.hpp says what each of them computes.
struct Kernels {
  const char* name;
  double (*dot)(const float* a, const float* b, std::size_t n);
  void (*dots)(const float* const* a, const float* const* b, std::size_t n, std::size_t count,
               double* out);
  void (*add_scaled)(float* y, float factor, const float* x, std::size_t n);
  void (*add_product)(float* y, float factor, const float* x, std::size_t n);
  void (*add_products)(float* y, const Term* terms, std::size_t count, std::size_t n);
  void (*add_exact_product)(double* y, float factor, const float* x, std::size_t n);
  void (*sum_exact_products)(const Term* terms, std::size_t count, double share, std::size_t n,
                             float* out);
  void (*scale)(float* y, float factor, std::size_t n);
  double (*move_and_measure)(float* w, float factor, const float* gradient, std::size_t n);
  void (*move_by_products)(const Move* moves, std::size_t count, double* squares);
  void (*add_products_and_measure)(float* y, const Term* terms, std::size_t count, std::size_t n,
                                   double* squares);
  float (*project)(const float* base, std::size_t inputs, std::size_t width, const float* const* x,
                   std::size_t count, float* out);
  void (*sincos)(const Wave* waves, std::size_t count, float amplitude, std::size_t n);
  float (*magnitude)(const float* x, std::size_t n);
  // symmetric_matrix.hpp
  void (*symmetric_multiply)(const double* matrix, std::size_t blocks, const double* x, double* y);
  void (*symmetric_add_multiply)(double* matrix, std::size_t blocks, const double* const* vectors,
                                 const double* factors, std::size_t count, const double* x,
                                 double* y);
  double (*dot_doubles)(const double* a, const double* b, std::size_t n);
  double (*exponentials)(const double* x, double shift, std::size_t n, double* out);
  // sum_tree.hpp: how many of 16 numbers are at most `limit`
  std::size_t (*count_up_to)(const double* x, double limit);
  // random.hpp: the blocks of 16 counters that differ in their second word, which is first, first
  // + 1 and so on; word w of block b is out[16 w + b].
  void (*philox)(const std::uint32_t* counter, const std::uint32_t* key, std::uint32_t* out);
};

/// Doubles that are worked on together.
inline constexpr std::size_t kBlock = 8;

extern const Kernels kPortable;
#ifdef __x86_64__
extern const Kernels kAvx2;
extern const Kernels kAvx512;
#endif

}  // namespace caucus::simd
