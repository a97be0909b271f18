// What every variant of the kernels offers. No library headers here: the translation units of the
// variants are compiled for CPUs that may be absent, and must not leave inline functions behind.
#pragma once

#include <cstddef>
#include <cstdint>

namespace caucus::simd {

/// The floats that are worked on together; rows of matrices are padded to a multiple of it.
inline constexpr std::size_t kLanes = 16;
constexpr std::size_t padded(std::size_t size) { return (size + kLanes - 1) / kLanes * kLanes; }

/// Where base[l][k] of a projection lies, of so many inputs l: in panels of 16 columns k, one input
/// after the other, so that a panel is read from its beginning to its end.
constexpr std::size_t place_in_base(std::size_t inputs, std::size_t l, std::size_t k) {
  return (k / kLanes * inputs + l) * kLanes + k % kLanes;
}

/// Vectors of at most so many numbers are summed in order, so that several of them can lie side by
/// side, each in a lane of its own, and still have the same sums; longer ones in 16 lanes.
inline constexpr std::size_t kShort = 64;

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

/// Widths in ratio 2 can share a sine and cosine, at most so many of them: angles are doubled.
inline constexpr std::size_t kOctaves = 4;

/// What is wanted of one x among several: the waves amplitude * cos(pi 2^level factor x_k) and
/// sines at out[level], and their product with a model at *product[level].
struct Wave {
  const float* x;
  float factor;
  float* out[kOctaves];
  const float* model[kOctaves];
  double* product[kOctaves];
};

/// Beyond the models, up to a multiple of 8, p, inverse and losses are 0 and log_p is -1e308.
struct EntropyStep {
  std::size_t n;
  const double *log_p, *p, *inverse, *losses;
  double log_total;  ///< of p, which need not sum to 1
  double rate;
  double most_inverse;
  double tolerance;
  double *moved, *weights;  ///< what comes out: logarithms of the new p, and p
};

/// Counters of Philox whose second and third words differ; their number is a multiple of 16.
struct PhiloxCounters {
  std::uint32_t key[2];
  std::uint32_t first, fourth;
  const std::uint32_t *second, *third;
  std::size_t count;
};

/// At most 16 models to draw from.
struct FewModels {
  const double* sums;  ///< running, of their weights
  std::size_t count;
};

/// A point on the way to a solution of A x = b; see second_order.hpp.
struct Iterate {
  double* x;
  double* residual;
  double* direction;
  double* image;
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
  double (*sum_and_measure)(const Term* terms, std::size_t count, std::size_t n, float* out,
                            double* squares);
  float (*project)(const float* base, std::size_t inputs, std::size_t width, std::size_t columns,
                   const float* const* x, std::size_t count, float* out);
  void (*sincos)(const Wave* waves, std::size_t count, std::size_t levels, float amplitude,
                 std::size_t n);
  void (*sincos_products)(const Wave* waves, std::size_t count, std::size_t levels, float amplitude,
                          std::size_t n);
  float (*magnitude)(const float* x, std::size_t n);
  // symmetric_matrix.hpp
  void (*symmetric_multiply)(const double* matrix, std::size_t blocks, const double* x, double* y);
  void (*symmetric_add)(double* matrix, std::size_t blocks, const float* vectors, std::size_t count,
                        double factor);
  double (*dot_doubles)(const double* a, const double* b, std::size_t n);
  // second_order.cpp: vectors of n numbers one after the other
  // out_i = <g, x_i>, i < 2
  void (*dots_with_floats)(const float* g, const double* const* x, std::size_t n, double* out);
  // y_i += factors_i g, i < 3, and of every coordinate y_3 += square g^2
  void (*add_floats)(const float* g, const double* factors, double square, std::size_t n,
                     double* const* y);
  // y += sum_j factor_j v_j <v_j, x>
  void (*add_outer_products)(const float* vectors, const double* factors, std::size_t count,
                             std::size_t n, const double* x, double* y);
  void (*scale_by)(const double* x, const double* factors, std::size_t n, double* out);
  // <residual, other>, <residual, direction>, <other, image>, <other, at.image>, <direction,
  // at.image>
  void (*step_products)(const Iterate& at, const double* other, const double* image, std::size_t n,
                        double* out);
  // direction <- length other + kept direction, likewise its image; then x += direction and
  // residual -= its image
  void (*take_step)(const Iterate& at, double length, const double* other, const double* image,
                    double kept, std::size_t n);
  double (*exponentials)(const double* x, double shift, std::size_t n, double* out);
  // sum_tree.hpp: how many of 16 numbers are at most `limit`
  std::size_t (*count_up_to)(const double* x, double limit);
  // random.hpp: word w of the c-th block is out[w count + c]
  void (*philox)(const PhiloxCounters& counters, std::uint32_t* out);
  // sampling.hpp: what sixteen clients draw; false where something is not certain
  bool (*draw_pairs)(const FewModels& models, const std::uint32_t* const* words,
                     std::uint32_t* pairs);
  // simplex.hpp
  bool (*entropy_step)(const EntropyStep& step);
  // logs_k += factor * (losses_k - common) and weights_k = e^logs_k, n of each, a multiple of 8;
  // tells whether all logarithms are at most `limit`
  bool (*move_logs)(double* logs, const double* losses, double common, double factor, double limit,
                    std::size_t n, double* weights);
};

/// Doubles that are worked on together.
inline constexpr std::size_t kBlock = 8;
/// Rows of a symmetric matrix that are worked on together: their sums stay in registers.
inline constexpr std::size_t kRows = 4;

extern const Kernels kPortable;
#ifdef __x86_64__
extern const Kernels kAvx2;
extern const Kernels kAvx512;
#endif

}  // namespace caucus::simd
