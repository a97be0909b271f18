// The version of these headers, and of the library that the program runs with.
#pragma once

#include <string_view>

/// CMakeLists.txt reads the project's version from these three lines.
#define CAUCUS_VERSION_MAJOR 0
#define CAUCUS_VERSION_MINOR 1
#define CAUCUS_VERSION_PATCH 0

namespace caucus {

/// Returns the version of the compiled library, such as "0.1.0". Until version 1 minor versions
/// may change the interface; patch versions do not.
std::string_view version();

}  // namespace caucus
