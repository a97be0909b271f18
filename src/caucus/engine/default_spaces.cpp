#include "caucus/options.hpp"

namespace caucus {

std::vector<Space> default_spaces(double radius) {
  std::vector<Space> spaces = {Space{.kind = SpaceKind::linear, .radius = radius}};
  for (const double width : {0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0}) {
    spaces.push_back(Space{.kind = SpaceKind::gaussian, .radius = radius, .width = width});
  }
  return spaces;
}

}  // namespace caucus
