// The version of these headers, and of the library that the program runs with.
#pragma once

#include <string_view>

/// CMakeLists.txt reads the project's version from these three lines.
#define CAUCUS_VERSION_MAJOR 0
#define CAUCUS_VERSION_MINOR 1
#define CAUCUS_VERSION_PATCH 0

namespace caucus {

/// "0.1.0", as the library was compiled. Until version 1 every minor version may change the
/// interface; patch versions do not.
std::string_view version();

}  // namespace caucus
