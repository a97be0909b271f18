#include "caucus/federation/security/client_name.hpp"

#include <algorithm>

namespace caucus {
namespace {

constexpr std::size_t kLongestName = 64;  // the limit of a common name in a certificate

// std::isalnum depends on the locale.
bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

}  // namespace

bool is_client_name(std::string_view name) {
  if (name.empty() || name.size() > kLongestName) return false;
  if (name.front() == '-' || name.front() == '.')
    return false;  // would look like a flag or a hidden file
  return std::all_of(name.begin(), name.end(), [](char c) {
    return is_letter_or_digit(c) || c == '-' || c == '_' || c == '.';
  });
}

Status check_client_name(std::string_view name, const std::string& where) {
  if (is_client_name(name)) return Done{};
  std::string shown(name.substr(0, kLongestName));
  if (name.size() > kLongestName) shown += "...";
  return usage_error(where, "'" + shown + "' is not a client's name",
                     "expected at most 64 letters, digits, '-', '_' and '.', and neither '-' nor "
                     "'.' first");
}

}  // namespace caucus
