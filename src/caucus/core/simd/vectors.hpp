// Vectors with a fixed number of lanes, made of as many registers as the CPU needs: sixteen floats
// are one AVX-512 register, two AVX2 registers, or four of any other CPU. Every kernel is written
// once in terms of them, so that all variants follow one definition of the arithmetic: AVX2 and
// AVX-512 give the same bits, and the portable variant differs only in the lack of fused
// multiply-adds.
//
// Included by the translation units of the variants only, each with flags and a namespace of its
// own: nothing here may be an inline function that the linker could share between them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "caucus/core/simd/kernel_table.hpp"

#if defined(__AVX512F__) && defined(__AVX512DQ__)
#define CAUCUS_SIMD_VARIANT avx512
#elif defined(__AVX2__) && defined(__FMA__)
#define CAUCUS_SIMD_VARIANT avx2
#else
#define CAUCUS_SIMD_VARIANT portable
#endif

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace caucus::simd::CAUCUS_SIMD_VARIANT {

#if defined(__AVX512F__) && defined(__AVX512DQ__)
constexpr std::size_t kRegisterBytes = 64;
#elif defined(__AVX2__) && defined(__FMA__)
constexpr std::size_t kRegisterBytes = 32;
#else
constexpr std::size_t kRegisterBytes = 16;
#endif

/// Calls f(0), f(1), .. f(Count - 1) without a loop, because the compiler unrolls loops too late to
/// keep an array of vectors in registers.
template <std::size_t Count, class Function>
[[gnu::always_inline]] inline void repeat(Function&& f) {
  if constexpr (Count > 0) {
    repeat<Count - 1>(f);
    f(Count - 1);
  }
}

template <class T, std::size_t Size>
struct Vector {
  using Lane = T;
  static constexpr std::size_t kSize = Size;
  static constexpr std::size_t kFit = kRegisterBytes / sizeof(T);
  static constexpr std::size_t kWidth = Size < kFit ? Size : kFit;  ///< lanes in a register
  static constexpr std::size_t kParts = Size / kWidth;
  using Part [[gnu::vector_size(kWidth * sizeof(T))]] = T;
  using Bits = decltype(Part{} < Part{});  ///< signed integers of the size of a lane
  struct [[gnu::packed, gnu::may_alias]] Unaligned {
    Part value;
  };

  Part parts[kParts];
};

using Lanes = Vector<float, kLanes>;
using EightFloats = Vector<float, 8>;
using Eight = Vector<double, kBlock>;

/// Returns the vector whose registers are f(0), f(1), ..
template <class V, class Function>
[[gnu::always_inline]] inline V each_part(Function f) {
  V out{};
  repeat<V::kParts>([&](std::size_t i) { out.parts[i] = f(i); });
  return out;
}

template <class V>
inline V filled(typename V::Lane value) {  // the difference keeps the sign of -0
  return each_part<V>([&](std::size_t) { return value - typename V::Part{}; });
}
inline Lanes fill(float value) { return filled<Lanes>(value); }
inline Eight eight(double value) { return filled<Eight>(value); }

template <class V>
inline typename V::Part loaded_part(const typename V::Lane* p) {
  return reinterpret_cast<const typename V::Unaligned*>(p)->value;
}
template <class V>
inline V loaded(const typename V::Lane* p) {
  return each_part<V>([&](std::size_t i) { return loaded_part<V>(p + i * V::kWidth); });
}
inline Lanes load(const float* p) { return loaded<Lanes>(p); }
inline Eight load(const double* p) { return loaded<Eight>(p); }
/// Loads a vector whose lanes p[0], p[1], .. are equal: one load serves all registers.
inline Lanes spread(const float* p) {
  const auto part = loaded_part<Lanes>(p);
  return each_part<Lanes>([&](std::size_t) { return part; });
}
template <class T, std::size_t Size>
inline void store(T* p, Vector<T, Size> a) {
  using V = Vector<T, Size>;
  repeat<V::kParts>([&](std::size_t i) {
    reinterpret_cast<typename V::Unaligned*>(p + i * V::kWidth)->value = a.parts[i];
  });
}

template <class T, std::size_t Size>
inline Vector<T, Size> operator+(Vector<T, Size> a, Vector<T, Size> b) {
  return each_part<Vector<T, Size>>([&](std::size_t i) { return a.parts[i] + b.parts[i]; });
}
template <class T, std::size_t Size>
inline Vector<T, Size> operator-(Vector<T, Size> a, Vector<T, Size> b) {
  return each_part<Vector<T, Size>>([&](std::size_t i) { return a.parts[i] - b.parts[i]; });
}
template <class T, std::size_t Size>
inline Vector<T, Size> operator*(Vector<T, Size> a, Vector<T, Size> b) {
  return each_part<Vector<T, Size>>([&](std::size_t i) { return a.parts[i] * b.parts[i]; });
}
template <class T, std::size_t Size>
inline Vector<T, Size> operator/(Vector<T, Size> a, Vector<T, Size> b) {
  return each_part<Vector<T, Size>>([&](std::size_t i) { return a.parts[i] / b.parts[i]; });
}

#if defined(__AVX2__) && defined(__FMA__)
#if defined(__AVX512F__) && defined(__AVX512DQ__)
inline __m512 fused(__m512 a, __m512 b, __m512 c) { return _mm512_fmadd_ps(a, b, c); }
inline __m512d fused(__m512d a, __m512d b, __m512d c) { return _mm512_fmadd_pd(a, b, c); }
#endif
inline __m256 fused(__m256 a, __m256 b, __m256 c) { return _mm256_fmadd_ps(a, b, c); }
inline __m256d fused(__m256d a, __m256d b, __m256d c) { return _mm256_fmadd_pd(a, b, c); }
inline float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }
#else
template <class Part>
inline Part fused(Part a, Part b, Part c) {
  return a * b + c;
}
#endif
/// a b + c
template <class T, std::size_t Size>
inline Vector<T, Size> mul_add(Vector<T, Size> a, Vector<T, Size> b, Vector<T, Size> c) {
  return each_part<Vector<T, Size>>(
      [&](std::size_t i) { return fused(a.parts[i], b.parts[i], c.parts[i]); });
}

/// Returns the larger of |a| and |b|, compared as bits: NaN is larger than infinity. a must not be
/// negative.
template <std::size_t Size>
inline Vector<float, Size> larger_size(Vector<float, Size> a, Vector<float, Size> b) {
  using V = Vector<float, Size>;
  return each_part<V>([&](std::size_t i) {
    const auto old = reinterpret_cast<typename V::Bits>(a.parts[i]);
    const auto size = reinterpret_cast<typename V::Bits>(b.parts[i]) & 0x7FFFFFFF;
    return reinterpret_cast<typename V::Part>(old > size ? old : size);
  });
}
/// Changes the sign of a where the last bit of `count` is set.
inline Lanes turn_if_odd(Lanes a, Lanes count) {
  return each_part<Lanes>([&](std::size_t i) {
    const auto sign = reinterpret_cast<Lanes::Bits>(count.parts[i]) << 31;
    return reinterpret_cast<Lanes::Part>(reinterpret_cast<Lanes::Bits>(a.parts[i]) ^ sign);
  });
}
inline Eight larger(Eight a, Eight b) {
  return each_part<Eight>(
      [&](std::size_t i) { return a.parts[i] > b.parts[i] ? a.parts[i] : b.parts[i]; });
}
/// Returns value where x >= limit, and 0 elsewhere.
inline Eight zero_below(Eight x, Eight limit, Eight value) {
  return each_part<Eight>(
      [&](std::size_t i) { return x.parts[i] >= limit.parts[i] ? value.parts[i] : Eight::Part{}; });
}
/// a * 2^n, where count = n + 1.5 * 2^52 as a double.
inline Eight times_power_of_two(Eight a, Eight count) {
  using Words [[gnu::vector_size(sizeof(Eight::Part))]] = std::uint64_t;  // their sum may wrap
  return each_part<Eight>([&](std::size_t i) {
    const auto exponent = reinterpret_cast<Words>(count.parts[i]) << 52;
    return reinterpret_cast<Eight::Part>(reinterpret_cast<Words>(a.parts[i]) + exponent);
  });
}

/// The lower (0) or upper (1) half of a register.
template <int Half, class Part>
inline auto half(Part a) {
  constexpr std::size_t kWidth = sizeof(a) / sizeof(a[0]);
  constexpr int k = Half * static_cast<int>(kWidth / 2);
  if constexpr (kWidth == 16) {
    return __builtin_shufflevector(a, a, k, k + 1, k + 2, k + 3, k + 4, k + 5, k + 6, k + 7);
  } else if constexpr (kWidth == 8) {
    return __builtin_shufflevector(a, a, k, k + 1, k + 2, k + 3);
  } else {
    return __builtin_shufflevector(a, a, k, k + 1);
  }
}
template <class Part>
inline double sum_of_part(Part a) {
  if constexpr (sizeof(a) > 2 * sizeof(double)) {
    return sum_of_part(half<0>(a) + half<1>(a));
  } else {
    return a[0] + a[1];
  }
}
/// Adds the upper half of the lanes to the lower half until one lane is left.
template <std::size_t Size>
inline double sum(Vector<double, Size> a) {
  constexpr std::size_t kHalf = Vector<double, Size>::kParts / 2;
  if constexpr (kHalf > 0) {
    return sum(each_part<Vector<double, Size / 2>>(
        [&](std::size_t i) { return a.parts[i] + a.parts[i + kHalf]; }));
  } else {
    return sum_of_part(a.parts[0]);
  }
}
/// Returns whether x <= limit in all lanes.
inline bool all_at_most(Eight x, double limit) {
  return sum(zero_below(eight(limit), x, eight(1.0))) == static_cast<double>(kBlock);
}

#if defined(__AVX512F__) && defined(__AVX512DQ__)
inline __m512d doubles_of(__m256 a) { return _mm512_cvtps_pd(a); }
#elif defined(__AVX2__) && defined(__FMA__)
inline __m256d doubles_of(__m128 a) { return _mm256_cvtps_pd(a); }
#else
template <class Floats>
inline Eight::Part doubles_of(Floats a) {
  return __builtin_convertvector(a, Eight::Part);
}
#endif
/// Eight floats as doubles.
inline Eight widened(const float* p) {
  using Floats = Vector<float, Eight::kWidth>;
  return each_part<Eight>(
      [&](std::size_t i) { return doubles_of(loaded_part<Floats>(p + i * Eight::kWidth)); });
}
template <std::size_t Size>
inline Vector<double, Size> widened(Vector<float, Size> a) {
  using Doubles = Vector<double, Size>;
  Doubles out{};
  repeat<Vector<float, Size>::kParts>([&](std::size_t i) {
    if constexpr (Doubles::kParts == Vector<float, Size>::kParts) {
      out.parts[i] = doubles_of(a.parts[i]);
    } else {
      out.parts[2 * i] = doubles_of(half<0>(a.parts[i]));
      out.parts[2 * i + 1] = doubles_of(half<1>(a.parts[i]));
    }
  });
  return out;
}
/// Sums the lanes in double: l and l + 8 first, then l and l + 4, and so on.
inline double sum(Lanes a) { return sum(widened(a)); }

}  // namespace caucus::simd::CAUCUS_SIMD_VARIANT
