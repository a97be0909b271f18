// Text of numbers and names: strict parsing, shortest exact printing, quoting for messages.
#pragma once

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "caucus/core/base/text.hpp"
#include "caucus/result.hpp"

namespace caucus {

enum class NumberForm { finite, not_finite, empty, text };

/// Reads all of `text` (no surrounding spaces) as a decimal number; a leading '+' is allowed.
/// nan, inf and numbers that overflow a double are `not_finite`; numbers that underflow are
/// rounded.
NumberForm parse_number(std::string_view text, double& value);

/// Parses the number at the start of [first, last) and returns its end; the caller checks the
/// characters after it. Returns null if there is no number, or if only parse_number() handles it
/// ('+', nan, overflow).
///
/// Most numbers in data files are short decimals. Digits up to 2^53 and powers of ten up to 10^22
/// are exact doubles, and their quotient is rounded once (Clinger 1990). This gives the bits of
/// from_chars in a third of the time. The signs of a column are often random, so the code does not
/// branch on them: a mispredicted branch costs as much as the number itself.
inline const char* parse_plain_number(const char* first, const char* last, double& value) {
  const bool negative = first != last && *first == '-';
  const char* at = first + std::size_t{negative};
  const char* const start = at;
  std::uint64_t digits = 0;
  const auto take_digits = [&] {
    for (; at != last && static_cast<unsigned>(*at - '0') < 10; ++at) {
      digits = 10 * digits + static_cast<unsigned>(*at - '0');
    }
  };
  take_digits();
  auto count = at - start;
  std::ptrdiff_t decimals = 0;
  if (at != last && *at == '.') {
    const char* const point = at++;
    take_digits();
    decimals = at - point - 1;
    count += decimals;
  }
  const bool exponent = at != last && (*at == 'e' || *at == 'E');
  constexpr std::ptrdiff_t kMostDigits = 19;  // any 19 digits fit 64 bits
  constexpr std::uint64_t kLargestExact = std::uint64_t{1} << 53;
  if (count > 0 && count <= kMostDigits && digits <= kLargestExact && !exponent) {
    static constexpr double kSign[] = {1.0, -1.0};
    static constexpr double kPower[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,
                                        1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19};
    const auto magnitude = static_cast<double>(static_cast<std::int64_t>(digits));
    value = kSign[std::size_t{negative}] * (magnitude / kPower[decimals]);
    return at;
  }
  const auto [end, code] = std::from_chars(first, last, value);
  return code == std::errc{} && std::isfinite(value) ? end : nullptr;
}

Error number_error(std::string where, NumberForm form, std::string_view text);
/// Reads a finite number; where() is the place of an error.
template <class Where>
Status read_number(std::string_view text, double& value, const Where& where) {
  const NumberForm form = parse_number(text, value);
  return form == NumberForm::finite ? Status(Done{}) : number_error(where(), form, text);
}

/// Parses a count without sign or spaces; false if the text is not a count or exceeds 64 bits.
bool parse_count(std::string_view text, std::size_t& value);

/// Appends the shortest text that reads back as the same number.
template <class Float>
void append_number(std::string& out, Float value) {
  char text[40];
  out.append(text, std::to_chars(text, text + sizeof text, value).ptr);
}

/// Replaces `line` by the numbers with commas between them and a line end.
template <class Float>
void csv_line(std::span<const Float> values, std::string& line) {
  line.clear();
  for (const Float value : values) {
    append_number(line, value);
    line += ',';
  }
  line.back() = '\n';
}

/// Returns 'text' in quotes, shortened if it is long.
std::string in_quotes(std::string_view text);

/// Returns a CSV header field, quoted if it could be read as a number or as several fields.
std::string csv_name(std::string_view name);

/// Removes spaces and tabs at both ends.
std::string_view trim(std::string_view text);
std::string lower_case(std::string_view text);

}  // namespace caucus
