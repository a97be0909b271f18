#include "caucus/version.hpp"

#define CAUCUS_TEXT_(number) #number
#define CAUCUS_TEXT(number) CAUCUS_TEXT_(number)

namespace caucus {

std::string_view version() {
  return CAUCUS_TEXT(CAUCUS_VERSION_MAJOR) "." CAUCUS_TEXT(CAUCUS_VERSION_MINOR) "." CAUCUS_TEXT(
      CAUCUS_VERSION_PATCH);
}

}  // namespace caucus
