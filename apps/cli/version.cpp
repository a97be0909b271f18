#include "version.hpp"

#include "caucus/version.hpp"

namespace caucus::cli {

std::string version() { return std::string(caucus::version()); }

}  // namespace caucus::cli
