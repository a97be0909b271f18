// Parses the values of flags and configuration files. The caller, who knows the flag or the key,
// sets `where` in an error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "caucus/result.hpp"

namespace caucus::cli {

/// The error of the functions below.
Error not_valid(const std::string& text, const std::string& expected);

Result<double> parse_number(const std::string& text);  ///< finite
Result<double> parse_number_or_infinity(const std::string& text);
Result<std::uint64_t> parse_count(const std::string& text);                 ///< 0, 1, 2, ...
Result<bool> parse_switch(const std::string& text);                         ///< true | false
Result<std::pair<double, double>> parse_interval(const std::string& text);  ///< A,B with A < B
/// A,B,... or FROM:TO:COUNT
Result<std::vector<double>> parse_numbers(const std::string& text);
/// A..B, from 1
Result<std::vector<std::string>> parse_columns(const std::string& text);
std::vector<std::string> split(const std::string& text, char separator);

}  // namespace caucus::cli
