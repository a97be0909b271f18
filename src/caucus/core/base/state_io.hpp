// Exact serialisation of state: little-endian numbers, lists of numbers preceded by their count,
// and strings. A StateReader reads in the order in which a StateWriter wrote. Its input may be
// corrupt or hostile: it never reads beyond the input and never allocates more than the input can
// fill. After the first failure it returns zeros, so that a caller may read everything and check
// status() once.
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

#include "caucus/result.hpp"

namespace caucus {

/// The types that can be written: unsigned integers of 1, 4 or 8 bytes, floats and doubles. Do not
/// write lists of std::size_t, whose size depends on the machine.
template <class T>
concept StateNumber = std::is_same_v<T, float> || std::is_same_v<T, double> ||
    (std::unsigned_integral<T> && !std::is_same_v<T, bool> &&
     (sizeof(T) == 1 || sizeof(T) == 4 || sizeof(T) == 8));

namespace state_io {

/// Converts between little-endian and this machine's byte order.
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

  /// Writes the count and the numbers of a span, vector or array.
  template <class Range>
  void numbers(const Range& range) {
    list(std::span(range));
  }
  void text(std::string_view value) {
    u64(value.size());
    bytes_.append(value);
  }

  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  /// Returns the bytes and leaves the writer empty.
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
  /// Errors begin with `where`. The bytes must outlive the reader and the strings it returns.
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

  /// Reads a list that must have exactly into.size() numbers; zeros after a failure.
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
  /// Reads a list of any length; empty after a failure.
  template <StateNumber T>
  std::vector<T> numbers() {
    std::vector<T> values(count_of(sizeof(T)));
    copy(std::span<T>(values));
    return values;
  }
  /// The result points into the input.
  std::string_view text() { return take(count_of(1)); }
  /// Reads a string and fails unless it is `name`.
  void expect(std::string_view name);

  [[nodiscard]] std::size_t left() const { return left_.size(); }
  [[nodiscard]] bool ok() const { return !failure_; }
  /// Returns the first failure, if any.
  [[nodiscard]] Status status() const;
  /// Like status(), but fails also if input is left.
  [[nodiscard]] Status done() const;
  /// Records a failure, unless there is one already, for a caller that finds the values invalid.
  /// Returns status().
  Status refuse(const std::string& what, std::string expected = {});

 private:
  /// Returns the next `count` bytes, or none after a failure.
  std::string_view take(std::size_t count);
  /// Reads the count of a list whose numbers have `size` bytes, and checks that they fit the input.
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

/// Returns whether a number is finite and not negative.
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

/// Appends a checksum (fingerprint.hpp), which detects every change of a single byte. Used for
/// files.
std::string sealed(std::string bytes);
/// Checks the checksum and returns the bytes before it.
Result<std::string_view> unsealed(std::string_view bytes, std::string where);

}  // namespace caucus
