// Numbers and lists in sentences.
#pragma once

#include <string>
#include <vector>

namespace caucus::report {

/// Returns "12%", "less than 1%" or "over 99.9%".
std::string percent(double share);
/// Returns "1 row" or "2 rows".
std::string counted(double count, const std::string& one);
/// Returns "a", "a and b" or "a, b and c".
std::string listed(const std::vector<std::string>& names);

/// Returns "12% below", "3% above" or "the same as", for a value before another one.
std::string beside(double value, double reference);

inline constexpr const char* kTheSame = "the same";
/// Returns "12% lower", "3% higher" or kTheSame, for a value that is compared with another one.
std::string change_text(double value, double reference);

}  // namespace caucus::report
