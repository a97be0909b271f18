// The name of a client: in certificates, file names, tokens, logs and tables, hence so narrow.
#pragma once

#include <string>
#include <string_view>

#include "caucus/core/base/result.hpp"

namespace caucus {

/// 1 to 64 letters, digits, '-', '_' and '.' of ASCII, the first neither '-' nor '.'.
bool is_client_name(std::string_view name);

/// The same as an error that names what is wrong; `where` is a flag or a key.
Status check_client_name(std::string_view name, const std::string& where);

}  // namespace caucus
