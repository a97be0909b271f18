// Numbers as text: the shortest form that reads back to the same value.
#pragma once

#include <string>

namespace caucus {

std::string to_text(double value);

}  // namespace caucus
