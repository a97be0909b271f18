#include "version.hpp"

namespace caucus::cli {

std::string version() { return CAUCUS_VERSION; }

}  // namespace caucus::cli
