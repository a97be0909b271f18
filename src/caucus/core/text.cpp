#include "caucus/core/text.hpp"

#include <charconv>

namespace caucus {

std::string to_text(double value) {
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

}  // namespace caucus
