// A value of sixteen 32-bit words, like the floats of lanes.hpp.
#pragma once

#include "caucus/core/simd/doubles.hpp"
#include "caucus/core/simd/lanes.hpp"

namespace caucus::simd::CAUCUS_SIMD_VARIANT {

#if defined(__AVX512F__) && defined(__AVX512DQ__)

struct Words {
  __m512i v;
};

inline Words words(std::uint32_t value) { return {_mm512_set1_epi32(static_cast<int>(value))}; }
inline void store(std::uint32_t* p, Words a) { _mm512_storeu_si512(p, a.v); }
inline Words load(const std::uint32_t* p) { return {_mm512_loadu_si512(p)}; }
inline Words add(Words a, Words b) { return {_mm512_add_epi32(a.v, b.v)}; }
inline Words exclusive_or(Words a, Words b) { return {_mm512_xor_si512(a.v, b.v)}; }
inline Words shifted_right(Words a, int bits) {
  return {_mm512_srli_epi32(a.v, static_cast<unsigned>(bits))};
}
/// Converts the first eight words or the last eight to doubles.
inline Eight first_doubles(Words a) { return {_mm512_cvtepu32_pd(_mm512_castsi512_si256(a.v))}; }
inline Eight last_doubles(Words a) {
  return {_mm512_cvtepu32_pd(_mm512_extracti64x4_epi64(a.v, 1))};
}

/// Converts two times eight doubles, which must be small whole numbers, to words.
inline Words whole_numbers(Eight first, Eight last) {
  return {_mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtpd_epi32(first.v)),
                             _mm512_cvtpd_epi32(last.v), 1)};
}
/// Returns value where a = b, and other elsewhere.
inline Words where_equal(Words a, Words b, Words value, Words other) {
  return {_mm512_mask_mov_epi32(other.v, _mm512_cmpeq_epi32_mask(a.v, b.v), value.v)};
}
inline bool any_above(Words a, Words limit) { return _mm512_cmpgt_epu32_mask(a.v, limit.v) != 0; }

/// Computes the 64-bit products with one number, as high and low words.
struct Products {
  Words high, low;
};
inline Products multiply(Words a, std::uint32_t factor) {
  const __m512i f = _mm512_set1_epi64(factor);
  const __m512i even = _mm512_mul_epu32(a.v, f);
  const __m512i odd = _mm512_mul_epu32(_mm512_srli_epi64(a.v, 32), f);
  constexpr __mmask16 kOdd = 0xAAAA;
  return {{_mm512_mask_mov_epi32(_mm512_srli_epi64(even, 32), kOdd, odd)},
          {_mm512_mask_mov_epi32(even, kOdd, _mm512_slli_epi64(odd, 32))}};
}

#elif defined(__AVX2__) && defined(__FMA__)

struct Words {
  __m256i low, high;
};

inline Words words(std::uint32_t value) {
  const __m256i all = _mm256_set1_epi32(static_cast<int>(value));
  return {all, all};
}
inline void store(std::uint32_t* p, Words a) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), a.low);
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p + 8), a.high);
}
inline Words load(const std::uint32_t* p) {
  return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)),
          _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p + 8))};
}
inline Words add(Words a, Words b) {
  return {_mm256_add_epi32(a.low, b.low), _mm256_add_epi32(a.high, b.high)};
}
inline Words exclusive_or(Words a, Words b) {
  return {_mm256_xor_si256(a.low, b.low), _mm256_xor_si256(a.high, b.high)};
}
inline Words shifted_right(Words a, int bits) {
  return {_mm256_srli_epi32(a.low, bits), _mm256_srli_epi32(a.high, bits)};
}
/// Uses the words as the last bits of a double between 2^52 and 2^53 and subtracts 2^52.
inline __m256d doubles(__m128i a) {
  const __m256i offset = _mm256_castpd_si256(_mm256_set1_pd(0x1p52));
  const __m256i bits = _mm256_or_si256(_mm256_cvtepu32_epi64(a), offset);
  return _mm256_sub_pd(_mm256_castsi256_pd(bits), _mm256_set1_pd(0x1p52));
}
inline Eight doubles(__m256i a) {
  return {doubles(_mm256_castsi256_si128(a)), doubles(_mm256_extracti128_si256(a, 1))};
}
inline Eight first_doubles(Words a) { return doubles(a.low); }
inline Eight last_doubles(Words a) { return doubles(a.high); }

inline __m256i whole_numbers(Eight a) {
  return _mm256_set_m128i(_mm256_cvtpd_epi32(a.high), _mm256_cvtpd_epi32(a.low));
}
inline Words whole_numbers(Eight first, Eight last) {
  return {whole_numbers(first), whole_numbers(last)};
}
inline Words where_equal(Words a, Words b, Words value, Words other) {
  return {_mm256_blendv_epi8(other.low, value.low, _mm256_cmpeq_epi32(a.low, b.low)),
          _mm256_blendv_epi8(other.high, value.high, _mm256_cmpeq_epi32(a.high, b.high))};
}
inline bool any_above(Words a, Words limit) {
  const __m256i low = _mm256_cmpeq_epi32(_mm256_max_epu32(a.low, limit.low), limit.low);
  const __m256i high = _mm256_cmpeq_epi32(_mm256_max_epu32(a.high, limit.high), limit.high);
  return _mm256_movemask_epi8(_mm256_and_si256(low, high)) != -1;
}

struct Products {
  Words high, low;
};
struct HalfProducts {
  __m256i high, low;
};
inline HalfProducts multiply(__m256i a, __m256i f) {
  const __m256i even = _mm256_mul_epu32(a, f);
  const __m256i odd = _mm256_mul_epu32(_mm256_srli_epi64(a, 32), f);
  return {_mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xAA),
          _mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xAA)};
}
inline Products multiply(Words a, std::uint32_t factor) {
  const __m256i f = _mm256_set1_epi64x(factor);
  const HalfProducts first = multiply(a.low, f);
  const HalfProducts second = multiply(a.high, f);
  return {{first.high, second.high}, {first.low, second.low}};
}

#else

struct Words {
  std::uint32_t v[kLanes];
};

inline Words words(std::uint32_t value) {
  Words out{};
  for (std::uint32_t& word : out.v) word = value;
  return out;
}
inline void store(std::uint32_t* p, Words a) {
  for (std::size_t l = 0; l < kLanes; ++l) p[l] = a.v[l];
}
inline Words load(const std::uint32_t* p) {
  Words out{};
  for (std::size_t l = 0; l < kLanes; ++l) out.v[l] = p[l];
  return out;
}
inline Words shifted_right(Words a, int bits) {
  for (std::uint32_t& word : a.v) word >>= bits;
  return a;
}
inline Eight first_doubles(Words a) {
  return each_of_eight([&](std::size_t l) { return static_cast<double>(a.v[l]); });
}
inline Eight last_doubles(Words a) {
  return each_of_eight([&](std::size_t l) { return static_cast<double>(a.v[l + 8]); });
}
inline Words add(Words a, Words b) {
  for (std::size_t l = 0; l < kLanes; ++l) a.v[l] += b.v[l];
  return a;
}
inline Words exclusive_or(Words a, Words b) {
  for (std::size_t l = 0; l < kLanes; ++l) a.v[l] ^= b.v[l];
  return a;
}
inline Words whole_numbers(Eight first, Eight last) {
  Words out{};
  for (std::size_t l = 0; l < 8; ++l) {
    out.v[l] = static_cast<std::uint32_t>(first.v[l]);
    out.v[l + 8] = static_cast<std::uint32_t>(last.v[l]);
  }
  return out;
}
inline Words where_equal(Words a, Words b, Words value, Words other) {
  for (std::size_t l = 0; l < kLanes; ++l) a.v[l] = a.v[l] == b.v[l] ? value.v[l] : other.v[l];
  return a;
}
inline bool any_above(Words a, Words limit) {
  bool any = false;
  for (std::size_t l = 0; l < kLanes; ++l) any |= a.v[l] > limit.v[l];
  return any;
}

struct Products {
  Words high, low;
};
inline Products multiply(Words a, std::uint32_t factor) {
  Products out{};
  for (std::size_t l = 0; l < kLanes; ++l) {
    const std::uint64_t product = std::uint64_t{a.v[l]} * factor;
    out.high.v[l] = static_cast<std::uint32_t>(product >> 32);
    out.low.v[l] = static_cast<std::uint32_t>(product);
  }
  return out;
}

#endif

}  // namespace caucus::simd::CAUCUS_SIMD_VARIANT
