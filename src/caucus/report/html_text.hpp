// Text for a page: escaped, shortened, and numbers as people write them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace caucus::report {

/// Safe between tags and inside quoted attributes. Bytes that are not UTF-8 and control characters
/// become U+FFFD, so that the page is valid whatever a file is called.
std::string escaped(std::string_view text);

/// Code points of a UTF-8 text: about its width on the page.
std::size_t letters(std::string_view text);

/// At most `most` code points, the last of them an ellipsis where something is left out.
std::string shortened(std::string_view text, std::size_t most);

/// Four significant digits, thousands grouped, a true minus, powers of ten where plain digits would
/// be long: 16,590; 0.01121; −3.5; 1.2 × 10⁻⁷. A dash for what is not a number.
std::string figure(double value, int digits = 4);

/// "0.01121 ± 0.00019", both to the spread's second digit; the value alone where the spread is not
/// a positive number.
std::string figure_with_spread(double value, double spread);

}  // namespace caucus::report
