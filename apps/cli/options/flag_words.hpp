// The library names options by their names; a user of the program knows them as flags.
#pragma once

#include "caucus/result.hpp"

namespace caucus::cli {

/// Returns the error with the flags of the command line in place of the names of options.
Error with_flags(Error error);

}  // namespace caucus::cli
