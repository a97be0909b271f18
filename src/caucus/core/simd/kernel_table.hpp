// The functions of every variant of the kernels. This header includes no library headers: the
// variants are compiled for instruction sets that the CPU may lack, and must not emit inline
// functions that the linker could use elsewhere.
#pragma once

#include <cstddef>

namespace caucus::simd {

/// The number of floats in a vector; rows of matrices are padded to a multiple of it.
inline constexpr std::size_t kLanes = 16;
constexpr std::size_t padded(std::size_t size) { return (size + kLanes - 1) / kLanes * kLanes; }

/// Returns the position of base[l][k] of a projection with the given number of inputs l. The base
/// is stored in panels of 16 columns k, input by input, so that a panel is read in order.
constexpr std::size_t place_in_base(std::size_t inputs, std::size_t l, std::size_t k) {
  return (k / kLanes * inputs + l) * kLanes + k % kLanes;
}

/// Vectors of at most this many numbers are summed in order, longer ones in 16 lanes.
inline constexpr std::size_t kShort = 64;

/// A term factor * x of a sum.
struct Term {
  const float* x;
  float factor;
};

/// The most widths in ratio 2 that share a sine and cosine by doubling angles.
inline constexpr std::size_t kOctaves = 4;

/// A request for one of several x: the waves amplitude * cos(pi 2^level factor x_k) and their sines
/// go to out[level].
struct Wave {
  const float* x;
  float factor;
  float* out[kOctaves];
};

/// The arrays are padded to a multiple of 8: p, inverse and losses with 0, log_p with -1e308.
struct EntropyStep {
  std::size_t n;
  const double *log_p, *p, *inverse, *losses;
  double log_total;  ///< the logarithm of the sum of p
  double rate;
  double most_inverse;
  double tolerance;
  double *moved, *weights;  ///< the result: logarithms of the new p, and the new p
};

/// The number of rows of a ridge regression's factor that are stored together.
inline constexpr std::size_t kFactorRows = 4;
/// Returns the position of an element of such a factor, whose rows have `width` numbers, a multiple
/// of kFactorRows, less those left of the first column of their group.
constexpr std::size_t place_in_factor(std::size_t width, std::size_t row, std::size_t column) {
  const std::size_t group = row / kFactorRows;
  const std::size_t left = group * kFactorRows;  // columns that the group does not have
  return left * width - kFactorRows * kFactorRows * (group * group - group) / 2 +
         row % kFactorRows * (width - left) + column - left;
}

/// Adds an example to the factor of a ridge regression; see recursive_ridge.hpp. The arrays end at
/// a multiple of kFactorRows, where `projected` and `inverses` are 0.
struct RidgeUpdate {
  double* factor;
  double* inverses;
  std::size_t width, size, first;  ///< the rows from `first` to `size` change
  double kept;                     ///< 1 / forgetting
  double* row;                     ///< 0, and what the forecasts missed
  const double* projected;
  double* rates;  ///< for its own use
};

/// vector.hpp describes these functions, unless a comment names another header.
struct Kernels {
  const char* name;
  double (*dot)(const float* a, const float* b, std::size_t n);
  void (*dots)(const float* const* a, const float* const* b, std::size_t n, std::size_t count,
               double* out);
  void (*add_scaled)(float* y, float factor, const float* x, std::size_t n);
  void (*add_products)(float* y, const Term* terms, std::size_t count, std::size_t n);
  double (*add_and_measure)(float* y, const Term& term, std::size_t n);
  void (*scale)(float* y, float factor, std::size_t n);
  float (*project)(const float* base, std::size_t inputs, std::size_t width, std::size_t columns,
                   const float* const* x, std::size_t count, float* out);
  void (*sincos)(const Wave* waves, std::size_t count, std::size_t levels, float amplitude,
                 std::size_t n);
  float (*magnitude)(const float* x, std::size_t n);
  // symmetric_matrix.hpp
  void (*symmetric_multiply)(const double* matrix, std::size_t blocks, const double* x, double* y);
  void (*symmetric_add)(double* matrix, std::size_t blocks, const float* vectors, std::size_t count,
                        double factor);
  double (*dot_doubles)(const double* a, const double* b, std::size_t n);
  double (*exponentials)(const double* x, double shift, std::size_t n, double* out);
  // simplex.hpp
  bool (*entropy_step)(const EntropyStep& step);
  // logs_k += factor * (losses_k - common) and weights_k = e^logs_k for n numbers, a multiple of 8;
  // returns whether all logarithms are at most `limit`
  bool (*move_logs)(double* logs, const double* losses, double common, double factor, double limit,
                    std::size_t n, double* weights);
  // recursive_ridge.hpp: eliminates the columns from `first` to `last` of a row with the factor
  void (*ridge_project)(const double* factor, std::size_t width, std::size_t first,
                        std::size_t last, double* row, double* projected);
  void (*ridge_update)(const RidgeUpdate& by);
};

/// The number of doubles in a vector.
inline constexpr std::size_t kBlock = 8;
/// The number of rows of a symmetric matrix whose sums stay in registers.
inline constexpr std::size_t kRows = 4;

extern const Kernels kPortable;
#ifdef __x86_64__
extern const Kernels kAvx2;
extern const Kernels kAvx512;
#endif

}  // namespace caucus::simd
