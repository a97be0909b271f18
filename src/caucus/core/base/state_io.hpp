// State as bytes, exactly: little-endian numbers, lists of them with their count in front, and
// texts. What is saved by one StateWriter is read in the same order by a StateReader, from bytes
// that may be anything: a reader never reads beyond them, never allocates more than they can fill,
// and after the first failure gives zeros, so that a caller may read on and ask once, at the end.
#pragma once

#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "caucus/core/base/result.hpp"

namespace caucus {

/// What is saved as it is: unsigned integers of 1, 4 or 8 bytes, floats and doubles. A list that
/// is to be read on another machine should not be of std::size_t.
template <class T>
concept StateNumber = std::is_same_v<T, float> || std::is_same_v<T, double> ||
    (std::unsigned_integral<T> && !std::is_same_v<T, bool> &&
     (sizeof(T) == 1 || sizeof(T) == 4 || sizeof(T) == 8));

namespace state_io {

/// To little-endian from that of this machine, and back.
template <StateNumber T>
T little_endian(T value) {
  if constexpr (std::endian::native == std::endian::little || sizeof(T) == 1) return value;
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  for (std::size_t k = 0; k < sizeof(T) / 2; ++k) std::swap(bytes[k], bytes[sizeof(T) - 1 - k]);
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

}  // namespace state_io

class StateWriter {
 public:
  template <StateNumber T>
  void number(T value) {
    value = state_io::little_endian(value);
    char bytes[sizeof(T)];
    std::memcpy(bytes, &value, sizeof(T));
    bytes_.append(bytes, sizeof(T));
  }
  void u8(std::uint8_t value) { number(value); }
  void u32(std::uint32_t value) { number(value); }
  void u64(std::uint64_t value) { number(value); }
  void real(double value) { number(value); }
  void flag(bool value) { u8(value ? 1 : 0); }

  /// Their count, then they themselves: spans, vectors, arrays.
  template <class Range>
  void numbers(const Range& range) {
    list(std::span(range));
  }
  void text(std::string_view value) {
    u64(value.size());
    bytes_.append(value);
  }

  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  /// Gives them away; the writer is empty then.
  [[nodiscard]] std::string take() { return std::exchange(bytes_, {}); }

 private:
  template <class T, std::size_t extent>
  void list(std::span<T, extent> values) {
    u64(values.size());
    if constexpr (std::endian::native == std::endian::little) {
      const auto raw = std::as_bytes(values);
      bytes_.append(reinterpret_cast<const char*>(raw.data()), raw.size());
    } else {
      for (const auto value : values) number(value);
    }
  }

  std::string bytes_;
};

class StateReader {
 public:
  /// `where` is what errors begin with; the bytes must outlive the reader and the texts it gives.
  explicit StateReader(std::string_view bytes, std::string where = "saved state")
      : bytes_(bytes), left_(bytes), where_(std::move(where)) {}

  template <StateNumber T>
  T number() {
    const std::string_view raw = take(sizeof(T));
    T value{};
    if (raw.empty()) return value;
    std::memcpy(&value, raw.data(), sizeof(T));
    return state_io::little_endian(value);
  }
  std::uint8_t u8() { return number<std::uint8_t>(); }
  std::uint32_t u32() { return number<std::uint32_t>(); }
  std::uint64_t u64() { return number<std::uint64_t>(); }
  double real() { return number<double>(); }
  bool flag();

  /// A list that must have as many numbers as there is room for; zeros after a failure.
  template <StateNumber T, class Allocator>
  void numbers(std::vector<T, Allocator>& into) {
    numbers(std::span<T>(into));
  }
  template <StateNumber T>
  void numbers(std::span<T> into) {
    const std::size_t count = count_of(sizeof(T));
    if (count != into.size()) refuse_count(count, into.size());
    if (ok()) return copy(into);
    for (T& value : into) value = T{};
  }
  /// A list of any length; empty after a failure.
  template <StateNumber T>
  std::vector<T> numbers() {
    std::vector<T> values(count_of(sizeof(T)));
    copy(std::span<T>(values));
    return values;
  }
  /// Points into the bytes.
  std::string_view text() { return take(count_of(1)); }
  /// A text that must be this one.
  void expect(std::string_view name);

  [[nodiscard]] std::size_t left() const { return left_.size(); }
  [[nodiscard]] bool ok() const { return !failure_; }
  /// The first failure, if there was one.
  [[nodiscard]] Status status() const;
  /// The same; nothing may be left.
  [[nodiscard]] Status done() const;
  /// For whoever finds that what was read cannot be: that is a failure too, unless there was one
  /// before. Gives back status().
  Status refuse(const std::string& what, std::string expected = {});

 private:
  /// The next so many bytes; none after a failure.
  std::string_view take(std::size_t count);
  /// Of a list whose numbers have this size: not more than there are bytes for.
  std::size_t count_of(std::size_t size);
  void refuse_count(std::size_t count, std::size_t expected);
  template <class T>
  void copy(std::span<T> into) {
    if constexpr (std::endian::native == std::endian::little) {
      const std::string_view raw = take(into.size_bytes());
      if (!raw.empty()) std::memcpy(into.data(), raw.data(), raw.size());
    } else {
      for (T& value : into) value = number<T>();
    }
  }

  std::string_view bytes_, left_;
  std::string where_;
  std::optional<Error> failure_;
};

/// Of numbers that were read: finite and at least 0.
inline bool is_amount(double value) { return std::isfinite(value) && value >= 0.0; }
template <class Range>
bool all_finite(const Range& values) {
  for (const auto value : values) {
    if (!std::isfinite(value)) return false;
  }
  return true;
}
template <class Range>
bool all_amounts(const Range& values) {
  for (const auto value : values) {
    if (!is_amount(value)) return false;
  }
  return true;
}

/// Bytes with a checksum (FNV-1a, 64 bits) behind them, which no change of a single byte leaves
/// valid: for what lies on a disk.
std::string sealed(std::string bytes);
/// The bytes without it, or an error.
Result<std::string_view> unsealed(std::string_view bytes, std::string where);

}  // namespace caucus
