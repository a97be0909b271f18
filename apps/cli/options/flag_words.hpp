// The library names options by their names; a user of the program knows them as flags.
#pragma once

#include "caucus/result.hpp"

namespace caucus::cli {

/// The same error with the flags of the command line where the library names its options.
Error with_flags(Error error);

}  // namespace caucus::cli
