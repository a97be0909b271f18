// Text for a page: escaping, shortening, and formatting of numbers.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace caucus::report {

/// Escapes text for use between tags and in quoted attributes. Bytes that are not UTF-8 and control
/// characters become U+FFFD, so that any file name gives a valid page.
std::string escaped(std::string_view text);

/// Returns the number of code points of a UTF-8 text, which is about its width on the page.
std::size_t letters(std::string_view text);

/// Shortens the text to `most` code points, the last of which is then an ellipsis.
std::string shortened(std::string_view text, std::size_t most);

/// Formats a number with four significant digits, grouped thousands, a minus sign, and powers of
/// ten if plain digits would be long: 16,590; 0.01121; −3.5; 1.2 × 10⁻⁷. NaN becomes a dash, and
/// what is as small as rounding errors "< 1e-6".
std::string figure(double value, int digits = 4);

/// Formats a number with so many decimals and a minus sign.
std::string fixed(double value, int decimals);

/// Formats "0.01121 ± 0.00019", both rounded at the second digit of the spread, or the value alone
/// if the spread is not a positive number.
std::string figure_with_spread(double value, double spread);

}  // namespace caucus::report
