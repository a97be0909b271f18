// The names of clients. They appear in certificates, file names, tokens, logs and tables, so few
// characters are allowed.
#pragma once

#include <string>
#include <string_view>

#include "caucus/result.hpp"

namespace caucus {

/// Returns whether `name` has 1 to 64 ASCII letters, digits, '-', '_' and '.' and does not begin
/// with '-' or '.'.
bool is_client_name(std::string_view name);

/// Returns an error that describes an invalid name; `where` is a flag or a key.
Status check_client_name(std::string_view name, const std::string& where);

}  // namespace caucus
